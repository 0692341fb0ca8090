#pragma once
// Which way bytes go from one GPU to another. No CUDA here: the choice is tested without a GPU.
#include <string>
#include <vector>

namespace dpx::cuda {

enum class Transport {
  local,   ///< inside one GPU
  peer,    ///< copy engines and kernels reach the other GPU's memory
  staged,  ///< own ring of pinned host buffers, both directions at once
  driver,  ///< plain cudaMemcpyPeerAsync without peer access: the driver stages
  mapped   ///< kernels store to and load from pinned host memory
};

std::string name_of(Transport transport);

/// What is known of an ordered pair of devices.
struct PairFacts {
  std::string from, to;  ///< "cuda:0"
  bool same_gpu = false;
  bool can_access = false;  ///< CUDA says that each may have peer access to the other
  std::string cause = {};   ///< why not, where somebody knows
};

/// What NVML's answer to a question about peer access means: "the chipset does not support it"; empty where
/// it says nothing.
std::string peer_status_words(int nvml_status);

struct PairChoice {
  Transport transport = Transport::local;
  std::string reason;  ///< why not peer, where it is not; empty otherwise
};

/// `wanted`: auto, peer, staged, driver or mapped. `probe` copies between the two by peer access, compares,
/// and says what went wrong (nothing: empty); it is called only where peer access may be used. Errors:
/// Exit::unavailable where peer is wanted and not to be had.
template <class Probe>
PairChoice choose_transport(const std::string& wanted, const PairFacts& pair, const Probe& probe);

/// "peer", "staged", or the names joined by '+' where pairs differ; "local" for one device.
std::string describe(const std::vector<PairChoice>& pairs);

/// The choice where peer access is out of the question or `fault` says why it failed.
PairChoice without_peer(const std::string& wanted, const PairFacts& pair, const std::string& fault);

template <class Probe>
PairChoice choose_transport(const std::string& wanted, const PairFacts& pair, const Probe& probe) {
  if (wanted == "staged") return {Transport::staged, "asked for"};
  if (wanted == "driver") return {Transport::driver, "asked for"};
  if (wanted == "mapped") return {Transport::mapped, "asked for"};
  if (pair.same_gpu) return without_peer(wanted, pair, "");
  if (!pair.can_access)
    return without_peer(wanted, pair,
                        "the GPUs have no peer access" + (pair.cause.empty() ? "" : ": " + pair.cause));
  if (const std::string fault = probe(); !fault.empty())
    return without_peer(
        wanted, pair,
        "peer access is offered but does not work: " + fault + "; switching off IOMMU or ACS often cures it");
  return {Transport::peer, ""};
}

}  // namespace dpx::cuda
