#pragma once
// Backend: opens devices of one family, and makes what works best on them. Implementations live in kernels/,
// which kernels/backends.hpp lists.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/comm/link_model.hpp"
#include "lib/comm/reducer.hpp"
#include "lib/core/error.hpp"
#include "lib/device/copy_path.hpp"
#include "lib/device/replay.hpp"
#include "lib/model/engine.hpp"

namespace dpx {

struct DeviceRequest {
  int count = 1;
  int threads_per_device = 1;
  std::vector<int> ordinals = {};  ///< which GPU is device i; empty: 0, 1, ...; one may be named twice
  std::string transport = "auto";  ///< one of transport_names()
  std::string math = "fp32";       ///< or tf32: of matrix products and convolutions
  bool graph = true;               ///< steps are captured once and replayed
  double timeout_s = 60;           ///< of waiting for a library's collective
};

/// How bytes go from device to device, as far as a backend lets one choose.
inline const std::vector<std::string>& transport_names() {
  static const std::vector<std::string> names{"auto", "peer", "staged", "driver", "mapped"};
  return names;
}

/// A GPU's clocks, temperature and link while something is measured on it.
struct GpuState {
  std::string text;
  bool throttled = false;  ///< slower than it could be: power, heat
};

/// Whether device `from` of those opened reaches the memory of `to`, and why not.
struct PeerAccess {
  int from = 0, to = 0;
  bool works = false;
  std::string reason;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  /// Errors: Exit::unavailable when there are fewer devices than asked for.
  virtual std::vector<std::unique_ptr<Device>> open(const DeviceRequest& request) = 0;
  /// Versions of the libraries behind it, by the record's names: cuda, driver, cudnn, cublas, nccl.
  virtual std::map<std::string, std::string> versions() const { return {}; }
  /// How the devices opened last differ from one another; empty where they are alike.
  virtual std::string mixed_devices() const { return {}; }
  /// What a reader of the record must know of the devices opened last, line by line.
  virtual std::vector<std::string> remarks() const { return {}; }
  /// Every ordered pair of the devices opened last with transport auto; empty where the question has no
  /// meaning.
  virtual std::vector<PeerAccess> peer_access() const { return {}; }
  /// The state now of the GPUs opened last, each once; empty where nobody tells.
  virtual std::vector<GpuState> gpu_states() const { return {}; }
  /// The most bytes of each GPU opened last that dpx has held at one time, beside what libraries hold; empty
  /// where devices share the host's memory.
  virtual std::map<std::string, std::size_t> peak_memory_bytes() const { return {}; }
  /// An engine for shards of at most `max_shard` examples on a device that this backend opened.
  virtual std::unique_ptr<ModelEngine> make_engine(Device& device, const LeNet& model,
                                                   std::size_t max_shard) = 0;
  /// How work on these devices, which this backend opened, is repeated. The devices must outlive it.
  virtual std::unique_ptr<Replay> make_replay(const std::vector<Device*>&) {
    return std::make_unique<Replay>();
  }
  /// The reducer that carries out `algorithm` on devices of this backend in the best way it knows.
  /// Errors: as make_schedule.
  virtual std::unique_ptr<Reducer> make_reducer(const std::string& algorithm, Group& group) {
    return dpx::make_reducer(algorithm, group);
  }
  /// How the backend's library of collectives copies from device to device. Errors: Exit::unavailable with
  /// the reason.
  virtual std::unique_ptr<LibraryCopier> make_library_copier(Group&) {
    throw Error(Exit::unavailable, "backend " + std::string(name()) + " has no library of collectives");
  }
  /// Why that library does not read the environment variable `variable`; empty where it does.
  virtual std::string why_no_variable(const std::string& variable) const {
    return "backend " + std::string(name()) + " has no library that reads " + variable;
  }
  /// A reducer that really moves and adds the data, but takes the time that links of `link` would take.
  /// Errors: as make_schedule; Exit::unavailable where this backend's devices cannot emulate links.
  virtual std::unique_ptr<Reducer> make_emulated_reducer(const std::string&, const LinkModel&, Group&) {
    throw Error(Exit::unavailable,
                "--link: backend " + std::string(name()) + " cannot emulate links; --backend cpu can");
  }
  /// The emulated reducer where there is a `link`, else the best one.
  std::unique_ptr<Reducer> make_reducer_on(const std::optional<LinkModel>& link, const std::string& algorithm,
                                           Group& group) {
    return link ? make_emulated_reducer(algorithm, *link, group) : make_reducer(algorithm, group);
  }
};

}  // namespace dpx
