#pragma once
// Between twin libraries and the runtime double: kernels announce themselves, threads ask who they are.
#include <vector_types.h>

#include <cstddef>
#include <cstdint>

/// Calls `twin` with the arguments behind the pointers.
using FakeThunk = void (*)(void* twin, void** arguments);

extern "C" {
/// `twin` is known by the symbol at its address. `argument_bytes` has `count` entries.
void fake_register_kernel(void* twin, FakeThunk thunk, int count, const std::size_t* argument_bytes);
uint3 fake_thread_index();  // by value, so that no access is seen
uint3 fake_block_index();
dim3 fake_block_size();
dim3 fake_grid_size();
void* fake_dynamic_shared();
void fake_syncthreads();
/// Waits for the threads of `mask` of this warp, each bringing a value; returns lane `source`'s.
std::uint64_t fake_exchange(unsigned mask, std::uint64_t value, int source);
/// The same, returning a bit per lane of `mask` whose value is not 0.
unsigned fake_ballot(unsigned mask, bool value);
/// An atomic operation on memory of any kind: it does not race with another.
void fake_atomic(void* address, std::size_t bytes);
}
