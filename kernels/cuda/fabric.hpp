#pragma once
// Fabric: how the GPUs of a group reach one another's memory, and which of them owns an address.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/cuda_event.hpp"
#include "kernels/cuda/lane.hpp"
#include "lib/backend/backend.hpp"

namespace dpx::cuda {

/// Shared by the devices of a group. Used by the host's one enqueueing thread.
class Fabric {
 public:
  /// `wanted`: see choose_transport. Errors: as choose_transport.
  Fabric(std::vector<std::shared_ptr<DeviceState>> devices, const std::string& wanted);

  void own(const void* data, std::size_t bytes, int rank);
  void disown(const void* data);
  /// The rank whose memory `data` lies in; -1 for host memory.
  int owner(const void* data) const;

  /// Null where the two share a GPU and nothing else was asked for.
  Lane* lane(int from, int to);
  const PairChoice& choice(int from, int to) const { return choices_.at({from, to}); }
  /// See Lane.
  void forget_chunks();
  /// Why work between the GPUs cannot become part of a graph; empty: it can.
  std::string why_no_graph() const;
  /// The transport of all pairs in a word, and pair by pair with the reason.
  std::string transport() const;
  std::vector<std::string> remarks() const;
  /// Pair by pair, where `wanted` was auto.
  std::vector<PeerAccess> peer_access() const;

 private:
  void choose(const std::string& wanted, int from, int to);
  std::vector<std::shared_ptr<DeviceState>> devices_;
  std::map<const char*, std::pair<std::size_t, int>> memory_;  ///< first byte -> bytes, rank
  std::map<std::pair<int, int>, PairChoice> choices_;
  std::map<std::pair<int, int>, std::unique_ptr<Lane>> lanes_;  ///< made when first used
};

/// Copies and adds a pattern from GPU `from` to GPU `to` by peer access, which is switched on both ways.
/// Returns what went wrong; empty: nothing.
std::string probe_peer(int from, int to);

/// Takes back what an earlier probe switched on: with it the driver would not stage.
void end_peer_access(int a, int b);

}  // namespace dpx::cuda
