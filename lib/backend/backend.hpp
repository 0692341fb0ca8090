#pragma once
// Backend: opens devices of one family, and makes what works best on them. Implementations live in kernels/,
// which kernels/backends.hpp lists.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/comm/reducer.hpp"
#include "lib/model/engine.hpp"

namespace dpx {

struct DeviceRequest {
  int count = 1;
  int threads_per_device = 1;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  /// Errors: Exit::unavailable when there are fewer devices than asked for.
  virtual std::vector<std::unique_ptr<Device>> open(const DeviceRequest& request) = 0;
  /// An engine for shards of at most `max_shard` examples on a device that this backend opened.
  virtual std::unique_ptr<ModelEngine> make_engine(Device& device, const LeNet& model,
                                                   std::size_t max_shard) = 0;
  /// The reducer that carries out `algorithm` on devices of this backend in the best way it knows.
  /// Errors: as make_schedule.
  virtual std::unique_ptr<Reducer> make_reducer(const std::string& algorithm, Group& group) {
    return dpx::make_reducer(algorithm, group);
  }
};

}  // namespace dpx
