#include "lib/comm/reducer.hpp"

#include <algorithm>

#include "lib/comm/device_link.hpp"
#include "lib/core/error.hpp"
#include "lib/core/names.hpp"

namespace dpx {
namespace {

/// A schedule carried out on the group's devices.
class ScheduleReducer final : public Reducer {
 public:
  ScheduleReducer(std::unique_ptr<Schedule> schedule, Group& group)
      : schedule_(std::move(schedule)), group_(group) {}
  std::string name() const override { return schedule_->name(); }
  std::string transport() const override { return "streams"; }
  LinkElements elements_carried() const override { return carried_; }

  std::vector<Event> allreduce(const std::vector<Slice>& slices, Range elements,
                               const std::vector<Event>& ready) override {
    DeviceLink link(comm_streams(group_), slices, ready, carried_);
    walk(*schedule_, elements, link);
    return link.finish();
  }

 private:
  std::unique_ptr<Schedule> schedule_;
  Group& group_;
  LinkElements carried_;
};

}  // namespace

const std::vector<std::string>& reducer_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = schedule_names();
    all.emplace_back(kNccl);
    return all;
  }();
  return names;
}

std::string describe_reducer_names() {
  return describe_schedule_names() + ", " + std::string(kNccl);
}

void check_reducer_name(const std::string& algorithm) {
  if (algorithm == kNccl) return;
  const std::string name = algorithm.substr(0, algorithm.find(':'));
  const std::vector<std::string>& known = schedule_names();
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw Error(Exit::usage,
                "unknown algorithm '" + algorithm + "'; " + suggestion(algorithm, reducer_names()));
  check_schedule_name(algorithm);
}

void check_reducer(const std::string& algorithm, int world_size) {
  check_reducer_name(algorithm);
  if (algorithm != kNccl) make_schedule(algorithm, world_size);
}

std::unique_ptr<Reducer> make_reducer(const std::string& algorithm, Group& group) {
  if (algorithm == kNccl)
    throw Error(Exit::unavailable, "--algo nccl: needs --backend cuda in a dpx that was built with NCCL");
  return std::make_unique<ScheduleReducer>(make_schedule(algorithm, group.size()), group);
}

}  // namespace dpx
