#pragma once
// Communicators of one process, and collectives that its ranks enter together.
#include <nccl.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/fake_cuda/runtime/operation.hpp"

namespace fake {

/// The ranks that were made together.
struct Clique {
  std::vector<int> devices;                      ///< by rank
  PointRef aborted = std::make_shared<Point>();  ///< reached once any rank is aborted: what hangs then ends
  std::string last_error = {};
  std::vector<std::weak_ptr<void>> captured = {};  ///< a token of each collective in a graph
};

/// One rank's call of ncclAllReduce.
struct Contribution {
  const void* send;
  void* receive;
  std::size_t count;
  ncclDataType_t type;
  ncclComm_t comm;
  cudaStream_t stream;
};

/// One rank's ncclSend, where `send` is there, or ncclRecv.
struct Message {
  const void* send;
  void* receive;
  std::size_t bytes;
  int peer;
  ncclComm_t comm;
  cudaStream_t stream;
};

std::size_t bytes_of(ncclDataType_t type);

/// The sum over the ranks, in rank order. Errors: a type that is not faked ends the process by name.
std::vector<char> sum_of(const std::vector<Contribution>& contributions);

}  // namespace fake

struct ncclComm {
  std::shared_ptr<fake::Clique> clique;
  int rank;
  int device() const { return clique->devices[static_cast<std::size_t>(rank)]; }
  int size() const { return static_cast<int>(clique->devices.size()); }
};
