#include "tests/support/reference_lenet.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dpx::test {
namespace {

using Values = std::vector<double>;

// (in,side,side) with w (out,in,k,k), b (out) -> (out,side-k+1,side-k+1)
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

// Adds to dw and db; returns dx.
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

// ReLU, then 2x2 average with stride 2; an odd last row and column is dropped.
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

// x (in), w (in,out), b (out)
void dense(const double* x, int in, const double* w, const double* b, int out, double* y) {
  std::copy_n(b, out, y);
  for (int i = 0; i < in; ++i)
    for (int o = 0; o < out; ++o) y[o] += x[i] * w[i * out + o];
}

// Adds to dw and db; returns dx.
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

}  // namespace

int ReferenceLeNet::Result::best() const {
  return int(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

ReferenceLeNet::ReferenceLeNet(const LeNet& model, std::span<const float> params)
    : model_(model), params_(params.begin(), params.end()) {}

ReferenceLeNet::Result ReferenceLeNet::forward(std::span<const double> image, int label) {
  const int c1 = model_.conv1_channels(), c2 = model_.conv2_channels();
  image_.assign(image.begin(), image.end());
  conv1_ = convolve(image_, 1, 28, param(LeNet::conv1_w), param(LeNet::conv1_b), c1, 3);
  pool1_ = relu_pool(conv1_, c1, 26);
  conv2_ = convolve(pool1_, c1, 13, param(LeNet::conv2_w), param(LeNet::conv2_b), c2, 5);
  pool2_ = relu_pool(conv2_, c2, 9);
  hidden_.resize(std::size_t(model_.hidden()));
  dense(pool2_.data(), model_.flat(), param(LeNet::fc1_w), param(LeNet::fc1_b), model_.hidden(),
        hidden_.data());
  for (double& h : hidden_) h = std::max(0.0, h);
  Result result{};
  dense(hidden_.data(), model_.hidden(), param(LeNet::fc2_w), param(LeNet::fc2_b), LeNet::kClasses,
        result.logits.data());
  const double largest = *std::max_element(result.logits.begin(), result.logits.end());
  double sum = 0;
  for (double z : result.logits) sum += std::exp(z - largest);
  result.loss = std::log(sum) + largest - result.logits[std::size_t(label)];
  return result;
}

ReferenceLeNet::Result ReferenceLeNet::forward_backward(std::span<const double> image, int label,
                                                        Values& grads) {
  const Result result = forward(image, label);
  backward(label, result, grads);
  return result;
}

void ReferenceLeNet::backward(int label, const Result& result, Values& grads) {
  const auto grad = [&](LeNet::Tensor t) { return grads.data() + model_.range(t).first; };
  const int c1 = model_.conv1_channels(), c2 = model_.conv2_channels();
  Values dlogits(LeNet::kClasses);
  for (int c = 0; c < LeNet::kClasses; ++c)  // log of the softmax's denominator is loss + logit of the label
    dlogits[std::size_t(c)] =
        std::exp(result.logits[std::size_t(c)] - result.logits[std::size_t(label)] - result.loss) -
        (c == label);
  Values dhidden =
      dense_backward(hidden_, param(LeNet::fc2_w), dlogits, grad(LeNet::fc2_w), grad(LeNet::fc2_b));
  for (std::size_t h = 0; h < hidden_.size(); ++h)
    if (hidden_[h] <= 0) dhidden[h] = 0;
  const Values dpool2 =
      dense_backward(pool2_, param(LeNet::fc1_w), dhidden, grad(LeNet::fc1_w), grad(LeNet::fc1_b));
  const Values dconv2 = relu_pool_backward(conv2_, dpool2, c2, 9);
  const Values dpool1 = convolve_backward(pool1_, c1, 13, param(LeNet::conv2_w), dconv2, c2, 5,
                                          grad(LeNet::conv2_w), grad(LeNet::conv2_b));
  const Values dconv1 = relu_pool_backward(conv1_, dpool1, c1, 26);
  convolve_backward(image_, 1, 28, param(LeNet::conv1_w), dconv1, c1, 3, grad(LeNet::conv1_w),
                    grad(LeNet::conv1_b));
}

std::vector<TensorError> tensor_errors(const LeNet& model, std::span<const double> expected,
                                       std::span<const float> actual) {
  std::vector<TensorError> errors;
  for (const ParamTensor& t : model.tensors()) {
    double largest = 0, error = 0;
    for (std::size_t i = t.elements.first; i < t.elements.end(); ++i) {
      const double difference = std::abs(expected[i] - double(actual[i]));
      error = std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(error, difference);
      largest = std::max(largest, std::abs(expected[i]));
    }
    errors.push_back({std::string(t.name), largest == 0 ? error : error / largest});
  }
  return errors;
}

TensorError worst_error(const LeNet& model, std::span<const double> expected, std::span<const float> actual) {
  TensorError worst{"none", 0};
  for (const TensorError& e : tensor_errors(model, expected, actual))
    if (e.relative > worst.relative) worst = e;
  return worst;
}

}  // namespace dpx::test
