#include "apps/commands/peer_matrix.hpp"

#include <fmt/ostream.h>

#include <map>

#include "lib/comm/reducer.hpp"  // defines: kNccl

namespace dpx {
namespace {

void print_matrix(std::ostream& out, const std::vector<DeviceInfo>& devices,
                  const std::vector<PeerAccess>& pairs) {
  fmt::print(out, "{:<20}", "peer access");
  for (const DeviceInfo& device : devices) fmt::print(out, " {:>8}", device.name);
  for (std::size_t from = 0; from < devices.size(); ++from) {
    fmt::print(out, "\n{:<20}", devices[from].name);
    for (std::size_t to = 0; to < devices.size(); ++to) {
      const char* cell = "-";
      for (const PeerAccess& pair : pairs)
        if (std::size_t(pair.from) == from && std::size_t(pair.to) == to) cell = pair.works ? "yes" : "no";
      fmt::print(out, " {:>8}", cell);
    }
  }
  fmt::print(out, "\n");
}

}  // namespace

void report_peer_access(Run& run, const Backend& backend, const Group& group) {
  const std::vector<PeerAccess> pairs = backend.peer_access();
  if (pairs.empty()) return;
  const std::vector<DeviceInfo> devices = group.infos();
  print_matrix(run.out, devices, pairs);
  Json& recorded = run.record.verdict()["peer_access"] = Json::array();
  for (const PeerAccess& pair : pairs) {
    const std::string &from = devices[std::size_t(pair.from)].name, &to = devices[std::size_t(pair.to)].name;
    if (!pair.works) fmt::print(run.out, "{} -> {}: {}\n", from, to, pair.reason);
    recorded.push_back({{"from", from},
                        {"to", to},
                        {"works", pair.works},
                        {"reason", pair.works ? Json(nullptr) : Json(pair.reason)}});
  }
  fmt::print(run.out, "\n");
}

std::string mechanism_of(const std::string& transport) {
  static const std::map<std::string, std::string> words{
      {"peer", "copy engine, GPU to GPU"},
      {"staged", "host-staged: copy engines, a ring of pinned host memory, both directions at once"},
      {"driver", "host-staged by the driver: cudaMemcpyPeerAsync without peer access"},
      {"mapped", "SM copy: kernels store to and load from pinned host memory"},
      {std::string(kNccl), "SM copy by NCCL: ncclSend and ncclRecv over the path that it chooses"},
      {"copy engine", "copy engine, to and from pinned host memory"},
      {"memory", "copy by a core in shared memory"}};
  const auto found = words.find(transport);
  return found != words.end() ? found->second : transport;
}

}  // namespace dpx
