// Handles, descriptors and their attributes.
#include "tests/fake_cuda/cublaslt/descriptors.hpp"

#include <cstring>

#include "tests/fake_cuda/runtime/report.hpp"

using namespace fake;

namespace {

template <class T>
void read(T& value, const void* buffer, std::size_t bytes) {
  require_valid(buffer && bytes == sizeof value);
  std::memcpy(&value, buffer, sizeof value);
}

[[noreturn]] void unfaked_attribute(const char* function, int attribute) {
  fake_unfaked((std::string(function) + " of attribute " + std::to_string(attribute)).c_str(),
               "libcublasLt.so.13");
}

/// An attribute that has one allowed value here.
template <class T>
void read_only_value(T allowed, const void* buffer, std::size_t bytes, const char* function, int attribute) {
  T value{};
  read(value, buffer, bytes);
  if (value != allowed) unfaked_attribute(function, attribute);
}

}  // namespace

extern "C" {

size_t cublasLtGetVersion() {
  return CUBLAS_VERSION;
}
size_t cublasLtGetCudartVersion() {
  return CUDART_VERSION;
}

const char* cublasLtGetStatusName(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_ARCH_MISMATCH:
      return "CUBLAS_STATUS_ARCH_MISMATCH";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_INTERNAL_ERROR:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    default:
      return "unknown status";
  }
}
const char* cublasLtGetStatusString(cublasStatus_t status) {
  return cublasLtGetStatusName(status);
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  return library_call("cublasLtCreate", CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_NOT_INITIALIZED, [&] {
    require_no_capture();
    *handle = reinterpret_cast<cublasLtHandle_t>(new int(current_device()));
  });
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  return cublas_call("cublasLtDestroy", [&] { delete reinterpret_cast<int*>(handle); });
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t ld) {
  return cublas_call("cublasLtMatrixLayoutCreate", [&] {
    require_valid(rows > 0 && columns > 0 && ld >= static_cast<int64_t>(rows));
    require_else(type == CUDA_R_32F, CUBLAS_STATUS_NOT_SUPPORTED);
    create(layout, Layout{rows, columns, ld});
  });
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  return cublas_call("cublasLtMatrixLayoutDestroy", [&] { destroy<Layout>(layout); });
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* desc, cublasComputeType_t compute,
                                        cudaDataType scale) {
  return cublas_call("cublasLtMatmulDescCreate", [&] {
    require_else(
        scale == CUDA_R_32F && (compute == CUBLAS_COMPUTE_32F || compute == CUBLAS_COMPUTE_32F_PEDANTIC ||
                                compute == CUBLAS_COMPUTE_32F_FAST_TF32),
        CUBLAS_STATUS_NOT_SUPPORTED);
    MatmulDesc content;
    content.compute = compute;
    create(desc, content);
  });
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
  return cublas_call("cublasLtMatmulDescDestroy", [&] { destroy<MatmulDesc>(desc); });
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc,
                                              cublasLtMatmulDescAttributes_t attribute, const void* buffer,
                                              size_t bytes) {
  constexpr const char* kName = "cublasLtMatmulDescSetAttribute";
  return cublas_call(kName, [&] {
    MatmulDesc& d = content<MatmulDesc>(desc);
    switch (attribute) {
      case CUBLASLT_MATMUL_DESC_TRANSA:
        return read(d.op_a, buffer, bytes);
      case CUBLASLT_MATMUL_DESC_TRANSB:
        return read(d.op_b, buffer, bytes);
      case CUBLASLT_MATMUL_DESC_EPILOGUE:
        return read(d.epilogue, buffer, bytes);
      case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
        return read(d.bias, buffer, bytes);
      case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER:
        return read(d.aux, buffer, bytes);
      case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD:
        return read(d.aux_ld, buffer, bytes);
      case CUBLASLT_MATMUL_DESC_POINTER_MODE:
        return read_only_value(CUBLASLT_POINTER_MODE_HOST, buffer, bytes, kName, attribute);
      case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
        return read_only_value(CUDA_R_32F, buffer, bytes, kName, attribute);
      default:
        unfaked_attribute(kName, attribute);
    }
  });
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  return cublas_call("cublasLtMatmulPreferenceCreate", [&] { create(preference, Preference{}); });
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  return cublas_call("cublasLtMatmulPreferenceDestroy", [&] { destroy<Preference>(preference); });
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* buffer, size_t bytes) {
  constexpr const char* kName = "cublasLtMatmulPreferenceSetAttribute";
  return cublas_call(kName, [&] {
    Preference& p = content<Preference>(preference);
    std::uint32_t mask = 0;
    switch (attribute) {
      case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
        return read(p.workspace_bytes, buffer, bytes);
      case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
        return read(mask, buffer, bytes);
      case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
        return read(p.alignment[0], buffer, bytes);
      case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
        return read(p.alignment[1], buffer, bytes);
      case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
        return read(p.alignment[2], buffer, bytes);
      case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
        return read(p.alignment[3], buffer, bytes);
      default:
        unfaked_attribute(kName, attribute);
    }
  });
}

}  // extern "C"
