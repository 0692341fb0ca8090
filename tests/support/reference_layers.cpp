#include "tests/support/reference_layers.hpp"

#include <algorithm>

namespace dpx::test {

Values convolve(const Values& x, int in, int side, const double* w, const double* b, int out, int k) {
  const int size = side - k + 1;
  Values y(std::size_t(out) * size * size);
  for (int o = 0; o < out; ++o) {
    double* plane = y.data() + o * size * size;
    std::fill_n(plane, size * size, b[o]);
    for (int i = 0; i < in; ++i)
      for (int ky = 0; ky < k; ++ky)
        for (int kx = 0; kx < k; ++kx) {
          const double weight = w[((o * in + i) * k + ky) * k + kx];
          for (int r = 0; r < size; ++r)
            for (int c = 0; c < size; ++c)
              plane[r * size + c] += weight * x[(i * side + r + ky) * side + c + kx];
        }
  }
  return y;
}

Values convolve_backward(const Values& x, int in, int side, const double* w, const Values& dy, int out, int k,
                         double* dw, double* db) {
  const int size = side - k + 1;
  Values dx(x.size(), 0.0);
  for (int o = 0; o < out; ++o) {
    const double* plane = dy.data() + o * size * size;
    for (int p = 0; p < size * size; ++p) db[o] += plane[p];
    for (int i = 0; i < in; ++i)
      for (int ky = 0; ky < k; ++ky)
        for (int kx = 0; kx < k; ++kx) {
          const int tap = ((o * in + i) * k + ky) * k + kx;
          double sum = 0;
          for (int r = 0; r < size; ++r)
            for (int c = 0; c < size; ++c) {
              const int at = (i * side + r + ky) * side + c + kx;
              sum += plane[r * size + c] * x[at];
              dx[at] += plane[r * size + c] * w[tap];
            }
          dw[tap] += sum;
        }
  }
  return dx;
}

Values relu_pool(const Values& x, int channels, int side) {
  const int size = side / 2;
  Values y(std::size_t(channels) * size * size);
  for (int c = 0; c < channels; ++c)
    for (int r = 0; r < size; ++r)
      for (int s = 0; s < size; ++s) {
        double sum = 0;
        for (int q = 0; q < 4; ++q)
          sum += std::max(0.0, x[(c * side + 2 * r + q / 2) * side + 2 * s + q % 2]);
        y[(c * size + r) * size + s] = sum / 4;
      }
  return y;
}

Values relu_pool_backward(const Values& x, const Values& dy, int channels, int side) {
  const int size = side / 2;
  Values dx(x.size(), 0.0);
  for (int c = 0; c < channels; ++c)
    for (int r = 0; r < 2 * size; ++r)
      for (int s = 0; s < 2 * size; ++s) {
        const int at = (c * side + r) * side + s;
        if (x[at] > 0) dx[at] = dy[(c * size + r / 2) * size + s / 2] / 4;
      }
  return dx;
}

void dense(const double* x, int in, const double* w, const double* b, int out, double* y) {
  std::copy_n(b, out, y);
  for (int i = 0; i < in; ++i)
    for (int o = 0; o < out; ++o) y[o] += x[i] * w[i * out + o];
}

Values dense_backward(const Values& x, const double* w, const Values& dy, double* dw, double* db) {
  const std::size_t in = x.size(), out = dy.size();
  Values dx(in, 0.0);
  for (std::size_t o = 0; o < out; ++o) db[o] += dy[o];
  for (std::size_t i = 0; i < in; ++i)
    for (std::size_t o = 0; o < out; ++o) {
      dw[i * out + o] += x[i] * dy[o];
      dx[i] += w[i * out + o] * dy[o];
    }
  return dx;
}

}  // namespace dpx::test
