#include "kernels/cuda/fabric.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "kernels/cuda/cuda_device.hpp"
#include "kernels/cuda/telemetry.hpp"

namespace dpx::cuda {
namespace {

bool can_access_both_ways(int a, int b) {
  int forward = 0, back = 0;
  DPX_CHECK(cudaDeviceCanAccessPeer(&forward, a, b));
  DPX_CHECK(cudaDeviceCanAccessPeer(&back, b, a));
  return forward != 0 && back != 0;
}

std::string name_of_device(const DeviceState& device) {
  return fmt::format("cuda:{}", device.ordinal());
}

}  // namespace

Fabric::Fabric(std::vector<std::shared_ptr<DeviceState>> devices, const std::string& wanted)
    : devices_(std::move(devices)) {
  for (int from = 0; from < int(devices_.size()); ++from)
    for (int to = 0; to < int(devices_.size()); ++to)
      if (from != to) choose(wanted, from, to);
}

void Fabric::choose(const std::string& wanted, int from, int to) {
  const DeviceState &a = *devices_[std::size_t(from)], &b = *devices_[std::size_t(to)];
  PairFacts facts{name_of_device(a), name_of_device(b), a.ordinal() == b.ordinal(), false};
  if (!facts.same_gpu) facts.can_access = can_access_both_ways(a.ordinal(), b.ordinal());
  if (!facts.same_gpu && !facts.can_access)
    facts.cause = why_no_peer(bus_id_of(a.ordinal()), bus_id_of(b.ordinal()));
  if (wanted == "driver" && facts.can_access) end_peer_access(a.ordinal(), b.ordinal());
  PairChoice& choice = choices_[{from, to}];
  choice = choose_transport(wanted, facts, [&] { return probe_peer(a.ordinal(), b.ordinal()); });
  if (facts.can_access && wanted == "auto" && choice.transport != Transport::peer)
    spdlog::warn("{} to {}: {}; {} is used", facts.from, facts.to, choice.reason, name_of(choice.transport));
}

void Fabric::own(const void* data, std::size_t bytes, int rank) {
  memory_[static_cast<const char*>(data)] = {bytes, rank};
}

void Fabric::disown(const void* data) {
  memory_.erase(static_cast<const char*>(data));
}

int Fabric::owner(const void* data) const {
  const auto after = memory_.upper_bound(static_cast<const char*>(data));
  if (after == memory_.begin()) return -1;
  const auto& [first, block] = *std::prev(after);
  return static_cast<const char*>(data) < first + block.first ? block.second : -1;
}

Lane* Fabric::lane(int from, int to) {
  const Transport transport = choice(from, to).transport;
  if (transport == Transport::local) return nullptr;
  std::unique_ptr<Lane>& lane = lanes_[{from, to}];
  if (!lane)
    lane = make_lane(transport, devices_[std::size_t(from)]->ordinal(), devices_[std::size_t(to)]->ordinal());
  return lane.get();
}

void Fabric::forget_chunks() {
  for (const auto& [pair, lane] : lanes_)
    if (lane) lane->forget_chunks();
}

std::string Fabric::why_no_graph() const {
  for (const auto& [pair, choice] : choices_)
    if (choice.transport == Transport::driver) return "copies that the driver stages cannot be captured";
  return "";
}

std::string Fabric::transport() const {
  std::vector<PairChoice> pairs;
  for (const auto& [pair, choice] : choices_) pairs.push_back(choice);
  return describe(pairs);
}

std::vector<std::string> Fabric::remarks() const {
  std::vector<std::string> lines;
  for (const auto& [pair, choice] : choices_)
    lines.push_back(fmt::format("{} -> {}: {}{}{}", name_of_device(*devices_[std::size_t(pair.first)]),
                                name_of_device(*devices_[std::size_t(pair.second)]),
                                name_of(choice.transport), choice.reason.empty() ? "" : ", ", choice.reason));
  return lines;
}

std::vector<PeerAccess> Fabric::peer_access() const {
  std::vector<PeerAccess> pairs;
  for (const auto& [pair, choice] : choices_)
    pairs.push_back({pair.first, pair.second, choice.transport == Transport::peer, choice.reason});
  return pairs;
}

}  // namespace dpx::cuda
