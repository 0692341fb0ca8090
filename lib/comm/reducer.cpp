#include "lib/comm/reducer.hpp"

#include "lib/comm/device_link.hpp"

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
    DeviceLink link(group_, slices, ready, carried_);
    walk(*schedule_, elements, link);
    return link.finish();
  }

 private:
  std::unique_ptr<Schedule> schedule_;
  Group& group_;
  LinkElements carried_;
};

}  // namespace

std::unique_ptr<Reducer> make_reducer(const std::string& algorithm, Group& group) {
  return std::make_unique<ScheduleReducer>(make_schedule(algorithm, group.size()), group);
}

}  // namespace dpx
