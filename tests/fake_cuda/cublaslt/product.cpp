// The arithmetic of matrix products and their epilogues. Sums are of doubles, in a fixed order.
#include <algorithm>

#include "tests/fake_cuda/cublaslt/descriptors.hpp"

namespace fake {
namespace {

bool has(const Product& p, int bit) {
  return (int(p.desc.epilogue) & bit) == bit;
}
bool adds_bias(const Product& p) {
  return has(p, CUBLASLT_EPILOGUE_BIAS);
}
bool masks(const Product& p) {
  return has(p, CUBLASLT_EPILOGUE_DRELU);
}
bool sums_d(const Product& p) {
  return p.desc.epilogue == CUBLASLT_EPILOGUE_DRELU_BGRAD;
}
bool sums_a(const Product& p) {
  return p.desc.epilogue == CUBLASLT_EPILOGUE_BGRADA;
}
bool sums_b(const Product& p) {
  return p.desc.epilogue == CUBLASLT_EPILOGUE_BGRADB;
}
bool writes_mask(const Product& p) {
  return has(p, CUBLASLT_EPILOGUE_RELU_AUX);
}

/// Shapes: out (rows,columns) row-major = op(matrix), or its transpose.
std::vector<double> gather(const float* matrix, const Layout& layout, bool columns_first) {
  std::vector<double> out(layout.rows * layout.columns);
  for (std::size_t c = 0; c < layout.columns; ++c)
    for (std::size_t r = 0; r < layout.rows; ++r)
      out[columns_first ? c * layout.rows + r : r * layout.columns + c] =
          matrix[c * std::size_t(layout.ld) + r];
  return out;
}

double dot(const double* __restrict a, const double* __restrict b, std::size_t count) {
  constexpr std::size_t kLanes = 8;
  double sums[kLanes] = {}, total = 0;
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  for (; i < count; ++i) total += a[i] * b[i];
  for (const double sum : sums) total += sum;
  return total;
}

/// The bit of the ReLU mask for row i and column j.
bool mask_bit(const Product& p, std::size_t i, std::size_t j) {
  const std::size_t bit = j * std::size_t(p.desc.aux_ld) + i;
  return static_cast<const unsigned char*>(p.desc.aux)[bit / 8] >> bit % 8 & 1;
}
void set_mask_bit(const Product& p, std::size_t i, std::size_t j, bool value) {
  const std::size_t bit = j * std::size_t(p.desc.aux_ld) + i;
  unsigned char& byte = static_cast<unsigned char*>(p.desc.aux)[bit / 8];
  byte = static_cast<unsigned char>((byte & ~(1u << bit % 8)) | (unsigned(value) << bit % 8));
}

double finish(const Product& p, double value, std::size_t i, std::size_t j) {
  if (adds_bias(p)) value += static_cast<const float*>(p.desc.bias)[i];
  if (masks(p)) return mask_bit(p, i, j) ? value : 0;
  if (writes_mask(p)) set_mask_bit(p, i, j, value > 0);
  return has(p, CUBLASLT_EPILOGUE_RELU) && !(value > 0) ? 0 : value;
}

}  // namespace

Product product_of(cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                   cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d) {
  Product p{content<MatmulDesc>(desc),
            content<Layout>(a),
            content<Layout>(b),
            content<Layout>(c),
            content<Layout>(d),
            0,
            0,
            0};
  p.m = p.d.rows;
  p.n = p.d.columns;
  const bool a_plain = p.desc.op_a == CUBLAS_OP_N, b_plain = p.desc.op_b == CUBLAS_OP_N;
  p.k = a_plain ? p.a.columns : p.a.rows;
  require_valid((a_plain ? p.a.rows : p.a.columns) == p.m && (b_plain ? p.b.rows : p.b.columns) == p.k &&
                (b_plain ? p.b.columns : p.b.rows) == p.n && p.c.rows == p.m && p.c.columns == p.n);
  constexpr int kKnown[] = {CUBLASLT_EPILOGUE_DEFAULT,       CUBLASLT_EPILOGUE_RELU,
                            CUBLASLT_EPILOGUE_RELU_AUX,      CUBLASLT_EPILOGUE_BIAS,
                            CUBLASLT_EPILOGUE_DRELU,         CUBLASLT_EPILOGUE_RELU_BIAS,
                            CUBLASLT_EPILOGUE_RELU_AUX_BIAS, CUBLASLT_EPILOGUE_DRELU_BGRAD,
                            CUBLASLT_EPILOGUE_BGRADA,        CUBLASLT_EPILOGUE_BGRADB};
  require_else(std::find(std::begin(kKnown), std::end(kKnown), int(p.desc.epilogue)) != std::end(kKnown),
               CUBLAS_STATUS_NOT_SUPPORTED);
  require_valid(!(adds_bias(p) || sums_d(p) || sums_a(p) || sums_b(p)) || p.desc.bias);
  require_valid(!(masks(p) || writes_mask(p)) ||
                (p.desc.aux && p.desc.aux_ld % 128 == 0 && p.desc.aux_ld >= static_cast<std::int64_t>(p.m)));
  return p;
}

std::vector<Touched> touched_by_epilogue(const Product& p) {
  std::vector<Touched> touched;
  if (adds_bias(p)) touched.push_back({p.desc.bias, p.m * sizeof(float), false});
  if (sums_d(p) || sums_a(p)) touched.push_back({p.desc.bias, p.m * sizeof(float), true});
  if (sums_b(p)) touched.push_back({p.desc.bias, p.n * sizeof(float), true});
  if (masks(p) || writes_mask(p))
    touched.push_back({p.desc.aux, std::size_t(p.desc.aux_ld) * p.n / 8, writes_mask(p) && !masks(p)});
  return touched;
}

void multiply(const Product& p, float alpha, const float* a, const float* b, float beta, const float* c,
              float* d) {
  const std::vector<double> rows = gather(a, p.a, p.desc.op_a != CUBLAS_OP_N);     // (m,k)
  const std::vector<double> columns = gather(b, p.b, p.desc.op_b == CUBLAS_OP_N);  // (n,k)
  float* bias = static_cast<float*>(p.desc.bias);
  std::vector<double> sums(p.m);
  for (std::size_t j = 0; j < p.n; ++j)
    for (std::size_t i = 0; i < p.m; ++i) {
      double value = alpha * dot(&rows[i * p.k], &columns[j * p.k], p.k);
      if (beta != 0) value += double(beta) * c[j * std::size_t(p.c.ld) + i];
      value = finish(p, value, i, j);
      sums[i] += value;
      d[j * std::size_t(p.d.ld) + i] = static_cast<float>(value);
    }
  const auto sum_of = [&](const double* x) {
    double sum = 0;
    for (std::size_t t = 0; t < p.k; ++t) sum += x[t];
    return static_cast<float>(sum);
  };
  if (sums_d(p))
    std::transform(sums.begin(), sums.end(), bias, [](double sum) { return static_cast<float>(sum); });
  for (std::size_t i = 0; sums_a(p) && i < p.m; ++i) bias[i] = sum_of(&rows[i * p.k]);
  for (std::size_t j = 0; sums_b(p) && j < p.n; ++j) bias[j] = sum_of(&columns[j * p.k]);
}

}  // namespace fake
