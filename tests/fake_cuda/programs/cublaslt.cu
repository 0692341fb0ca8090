// Matrix products with every epilogue against plain loops. `--misaligned`: a pointer that is not as aligned
// as promised.
#include <cublasLt.h>

#include "tests/fake_cuda/programs/library.hpp"

#define LT_CHECK(call) lt_check(call, #call, __LINE__)

namespace {

void lt_check(cublasStatus_t status, const char* call, int line) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::printf("line %d: %s: %s\n", line, call, cublasLtGetStatusString(status));
  std::exit(3);
}

constexpr int kM = 10, kN = 7, kK = 33, kMaskBytesPerColumn = 16;

/// One column-major product D (m,n) = epilogue(op(A) op(B)) with everything on GPU 0.
struct Case {
  bool a_transposed, b_transposed;
  cublasLtEpilogue_t epilogue;
  Numbers a{kM * kK, 1}, b{kK * kN, 2}, d{kM * kN, 3}, bias{kM, 4}, mask{kN * kMaskBytesPerColumn / 4};
  double a_at(int i, int k) const { return a.host[a_transposed ? i * kK + k : k * kM + i]; }
  double b_at(int k, int j) const { return b.host[b_transposed ? k * kN + j : j * kK + k]; }
  bool has(int bit) const { return (int(epilogue) & bit) == bit; }
};

void set(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute, const void* value,
         std::size_t bytes) {
  LT_CHECK(cublasLtMatmulDescSetAttribute(desc, attribute, value, bytes));
}

void run(Case& c, cublasLtHandle_t lt, cudaStream_t stream, int misaligned) {
  cublasLtMatmulDesc_t desc;
  cublasLtMatrixLayout_t a, b, d;
  cublasLtMatmulPreference_t preference;
  LT_CHECK(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F_PEDANTIC, CUDA_R_32F));
  const cublasOperation_t op_a = c.a_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasOperation_t op_b = c.b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  const long long mask_ld = kMaskBytesPerColumn * 8;
  set(desc, CUBLASLT_MATMUL_DESC_TRANSA, &op_a, sizeof op_a);
  set(desc, CUBLASLT_MATMUL_DESC_TRANSB, &op_b, sizeof op_b);
  set(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &c.epilogue, sizeof c.epilogue);
  set(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &c.bias.device, sizeof c.bias.device);
  set(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &c.mask.device, sizeof c.mask.device);
  set(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &mask_ld, sizeof mask_ld);
  const auto layout = [](cublasLtMatrixLayout_t* l, int rows, int columns) {
    LT_CHECK(cublasLtMatrixLayoutCreate(l, CUDA_R_32F, rows, columns, rows));
  };
  c.a_transposed ? layout(&a, kK, kM) : layout(&a, kM, kK);
  c.b_transposed ? layout(&b, kN, kK) : layout(&b, kK, kN);
  layout(&d, kM, kN);
  LT_CHECK(cublasLtMatmulPreferenceCreate(&preference));
  cublasLtMatmulHeuristicResult_t found;
  int count = 0;
  LT_CHECK(cublasLtMatmulAlgoGetHeuristic(lt, desc, a, b, d, d, preference, 1, &found, &count));
  const float one = 1, zero = 0;
  LT_CHECK(cublasLtMatmul(lt, desc, &one, c.a.device + misaligned, a, c.b.device, b, &zero, c.d.device, d,
                          c.d.device, d, &found.algo, nullptr, 0, stream));
}

/// The product by plain loops; `sums` becomes the gradient of a bias where the epilogue gives one.
std::vector<double> expected(const Case& c, const std::vector<bool>& mask, std::vector<double>& sums) {
  std::vector<double> d(kM * kN);
  sums.assign(kM, 0);
  for (int j = 0; j < kN; ++j)
    for (int i = 0; i < kM; ++i) {
      double sum = 0;
      for (int k = 0; k < kK; ++k) sum += c.a_at(i, k) * c.b_at(k, j);
      if (c.has(CUBLASLT_EPILOGUE_BIAS)) sum += c.bias.host[i];
      if (c.has(CUBLASLT_EPILOGUE_RELU) && sum < 0) sum = 0;
      if (c.has(CUBLASLT_EPILOGUE_DRELU) && !mask[j * kM + i]) sum = 0;
      sums[i] += sum;
      d[j * kM + i] = sum;
    }
  if (c.epilogue == CUBLASLT_EPILOGUE_BGRADA)
    for (int i = 0; i < kM; ++i) {
      sums[i] = 0;
      for (int k = 0; k < kK; ++k) sums[i] += c.a_at(i, k);
    }
  return d;
}

int check(cublasLtEpilogue_t epilogue, const char* name, cublasLtHandle_t lt, cudaStream_t stream,
          int misaligned) {
  int failed = 0;
  for (int ops = 0; ops < 4; ++ops) {
    Case c{(ops & 1) != 0, (ops & 2) != 0, epilogue};
    std::vector<bool> mask(kM * kN);
    std::vector<unsigned char> bits(kN * kMaskBytesPerColumn);
    for (int i = 0; i < kM * kN; ++i) {
      mask[i] = i % 3 == 0;
      if (mask[i]) bits[i / kM * kMaskBytesPerColumn + i % kM / 8] |= 1 << (i % kM % 8);
    }
    std::memcpy(c.mask.host.data(), bits.data(), bits.size());
    for (Numbers* numbers : {&c.a, &c.b, &c.bias, &c.mask}) numbers->upload(stream);
    run(c, lt, stream, misaligned);
    std::vector<double> sums;
    const std::vector<double> wanted = expected(c, mask, sums);
    for (Numbers* numbers : {&c.d, &c.bias, &c.mask}) numbers->download(stream);
    failed += compare(name, c.d.host, wanted);
    if (epilogue == CUBLASLT_EPILOGUE_DRELU_BGRAD || epilogue == CUBLASLT_EPILOGUE_BGRADA)
      failed += compare("its bias gradient", c.bias.host, sums);
    if (epilogue != CUBLASLT_EPILOGUE_RELU_AUX_BIAS) continue;
    std::memcpy(bits.data(), c.mask.host.data(), bits.size());
    for (int i = 0; i < kM * kN; ++i)
      failed += (bits[i / kM * kMaskBytesPerColumn + i % kM / 8] >> (i % kM % 8) & 1) != (wanted[i] > 0);
  }
  return failed;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options{argc, argv};
  const cudaStream_t stream = make_stream(0);
  const int misaligned = options.has("--misaligned") ? 1 : 0;
  cublasLtHandle_t lt;
  LT_CHECK(cublasLtCreate(&lt));
  return check(CUBLASLT_EPILOGUE_DEFAULT, "plain", lt, stream, misaligned) +
         check(CUBLASLT_EPILOGUE_BIAS, "bias", lt, stream, 0) +
         check(CUBLASLT_EPILOGUE_RELU_BIAS, "bias and ReLU", lt, stream, 0) +
         check(CUBLASLT_EPILOGUE_RELU_AUX_BIAS, "bias, ReLU and mask", lt, stream, 0) +
         check(CUBLASLT_EPILOGUE_DRELU_BGRAD, "ReLU's gradient", lt, stream, 0) +
         check(CUBLASLT_EPILOGUE_BGRADA, "sum of A", lt, stream, 0);
}
