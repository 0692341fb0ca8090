#pragma once
// Non-owning views of device memory.
#include <cstddef>
#include <string_view>

#include "lib/core/range.hpp"

namespace dpx {

enum class DType { f32, bf16, u8, i32 };

constexpr std::size_t size_of(DType t) {
  return t == DType::u8 ? 1 : t == DType::bf16 ? 2 : 4;
}
constexpr std::string_view name_of(DType t) {
  return t == DType::f32 ? "fp32" : t == DType::bf16 ? "bf16" : t == DType::u8 ? "u8" : "i32";
}

/// `count` elements of `dtype` that live on one device (or on the host). Owns nothing.
struct Slice {
  void* data = nullptr;
  std::size_t count = 0;
  DType dtype = DType::f32;

  std::size_t bytes() const { return count * size_of(dtype); }
  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
  Slice sub(Range r) const { return {static_cast<char*>(data) + r.first * size_of(dtype), r.count, dtype}; }
};

}  // namespace dpx
