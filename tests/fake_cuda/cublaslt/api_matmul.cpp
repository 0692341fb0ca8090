// Choice of an algorithm and the product itself.
#include <algorithm>
#include <cstring>

#include "tests/fake_cuda/cublaslt/descriptors.hpp"

using namespace fake;

namespace {

static_assert(sizeof(Algo) <= sizeof(cublasLtMatmulAlgo_t));

/// The real library's kernels load as wide as was promised and fault, or refuse, when that was not true.
void require_promises(const Algo& algo, const void* const (&matrices)[4], std::size_t workspace_bytes) {
  require_valid(algo.magic == kAlgoMagic && workspace_bytes >= algo.workspace_bytes);
  for (int i = 0; i < 4; ++i)
    require_valid(reinterpret_cast<std::uintptr_t>(matrices[i]) % algo.alignment[i] == 0);
}

}  // namespace

extern "C" {

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int requested,
                                              cublasLtMatmulHeuristicResult_t results[], int* returned) {
  return cublas_call("cublasLtMatmulAlgoGetHeuristic", [&] {
    const Product product = product_of(desc, a, b, c, d);
    const Preference& wishes = content<Preference>(preference);
    require_valid(requested > 0);
    Algo algo{kAlgoMagic, std::min<std::uint64_t>(wishes.workspace_bytes, product.m * sizeof(float)), {}};
    std::copy(std::begin(wishes.alignment), std::end(wishes.alignment), algo.alignment);
    results[0] = {};
    std::memcpy(&results[0].algo, &algo, sizeof algo);
    results[0].workspaceSize = algo.workspace_bytes;
    results[0].state = CUBLAS_STATUS_SUCCESS;
    results[0].wavesCount = 1;
    *returned = 1;
  });
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                              cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
                              cublasLtMatrixLayout_t c_layout, void* d, cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t* chosen, void* workspace, size_t workspace_bytes,
                              cudaStream_t stream_handle) {
  return cublas_call("cublasLtMatmul", [&] {
    const Product product = product_of(desc, a_layout, b_layout, c_layout, d_layout);
    Stream& stream = stream_of(stream_handle, "cublasLtMatmul");
    require_valid(handle && *reinterpret_cast<const int*>(handle) == stream.device);
    Algo algo{kAlgoMagic, 0, {4, 4, 4, 4}};
    if (chosen) std::memcpy(&algo, chosen, sizeof algo);
    require_promises(algo, {a, b, c, d}, workspace_bytes);
    require_valid(workspace || !algo.workspace_bytes);
    const float scale = *static_cast<const float*>(alpha), keep = *static_cast<const float*>(beta);
    std::vector<Touched> touched = touched_by_epilogue(product);
    touched.push_back({a, product.a.bytes(), false});
    touched.push_back({b, product.b.bytes(), false});
    if (keep != 0) touched.push_back({c, product.c.bytes(), false});
    touched.push_back({d, product.d.bytes(), true});
    if (algo.workspace_bytes) touched.push_back({workspace, algo.workspace_bytes, true});
    scheduler().issue(stream, library_kernel("cublasLtMatmul", stream, std::move(touched), 3e-6, [=] {
                        multiply(product, scale, static_cast<const float*>(a), static_cast<const float*>(b),
                                 keep, static_cast<const float*>(c), static_cast<float*>(d));
                      }));
  });
}

}  // extern "C"
