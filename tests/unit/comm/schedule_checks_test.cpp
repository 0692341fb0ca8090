// The checks of dpx ring must be able to fail: each is shown a planted fault.
#include "lib/comm/schedule_checks.hpp"

#include <gtest/gtest.h>

#include "lib/comm/traffic_forms.hpp"
#include "lib/core/error.hpp"
#include "tests/support/devices.hpp"

namespace dpx {
namespace {

/// The ring with one of its steps spoilt; it still calls itself a ring.
class SpoiltRing final : public Schedule {
 public:
  enum class Fault { none, forgets_a_transfer, sends_twice, sends_another_chunk };
  SpoiltRing(int world_size, Fault fault) : ring_(make_schedule("ring", world_size)), fault_(fault) {}
  std::string name() const override { return ring_->name(); }
  int world_size() const override { return ring_->world_size(); }
  int num_chunks() const override { return ring_->num_chunks(); }
  int num_steps() const override { return ring_->num_steps(); }
  std::vector<Transfer> step(int s) const override {
    std::vector<Transfer> transfers = ring_->step(s);
    if (s != 1) return transfers;
    if (fault_ == Fault::forgets_a_transfer) transfers.pop_back();
    if (fault_ == Fault::sends_twice) transfers.push_back(transfers.back());
    if (fault_ == Fault::sends_another_chunk)
      transfers[0].first_chunk = (transfers[0].first_chunk + 1) % num_chunks();
    return transfers;
  }

 private:
  std::unique_ptr<Schedule> ring_;
  Fault fault_;
};

using Fault = SpoiltRing::Fault;

std::vector<std::string> failed(const std::vector<Finding>& findings) {
  std::vector<std::string> names;
  for (const Finding& finding : findings)
    if (!finding.passed) names.push_back(finding.name);
  return names;
}

std::vector<Finding> traffic_findings(const Schedule& schedule, std::size_t count) {
  CountingLink counter(schedule.world_size());
  walk(schedule, {0, count}, counter);
  return check_traffic(schedule, count, 4, counter.ranks());
}

TEST(ScheduleChecks, TheRingPasses) {
  const SpoiltRing ring(4, Fault::none);
  EXPECT_TRUE(failed(traffic_findings(ring, 10)).empty());
  EXPECT_TRUE(failed(check_trace(trace_schedule(ring, 10))).empty());
  EXPECT_EQ(traffic_findings(ring, 10).back().value, 240);
}

TEST(ScheduleChecks, MissingAndExtraBytesAreSeen) {
  for (const Fault fault : {Fault::forgets_a_transfer, Fault::sends_twice})
    for (std::size_t count : {10, 16})
      EXPECT_GE(failed(traffic_findings(SpoiltRing(4, fault), count)).size(), 2u);
}

TEST(ScheduleChecks, LostDoubledAndMisplacedContributionsAreSeen) {
  for (const Fault fault : {Fault::forgets_a_transfer, Fault::sends_twice, Fault::sends_another_chunk})
    EXPECT_FALSE(failed(check_trace(trace_schedule(SpoiltRing(4, fault), 16))).empty()) << int(fault);
}

TEST(ScheduleChecks, SimulatedTimeOffTheFormulaIsSeen) {
  LinkModel model;
  model.inside = {1e-6, 1e9};
  EXPECT_TRUE(failed(check_simulated(simulate(SpoiltRing(4, Fault::none), 16, 4, model))).empty());
  EXPECT_EQ(failed(check_simulated(simulate(SpoiltRing(4, Fault::sends_twice), 16, 4, model))).size(), 1u);
  EXPECT_TRUE(check_simulated(simulate(SpoiltRing(4, Fault::none), 10, 4, model)).empty())
      << "unequal chunks have no exact formula";
}

/// Leaves out rank 0, or gives one element another value on the last rank.
class SpoiltReducer final : public Reducer {
 public:
  SpoiltReducer(Group& group, bool forgets) : group_(group), forgets_(forgets) {}
  std::string name() const override { return "spoilt"; }
  std::string transport() const override { return "none"; }
  LinkElements elements_carried() const override { return {}; }
  std::vector<Event> allreduce(const std::vector<Slice>& slices, Range elements,
                               const std::vector<Event>& ready) override {
    std::vector<Slice> used = slices;
    if (forgets_) {
      spare_ = group_.device(0).allocate(slices[0].bytes());
      used[0] = spare_.slice(DType::f32);
    }
    auto done = make_reducer("star", group_)->allreduce(used, elements, ready);
    group_.synchronize();
    if (!forgets_) slices.back().as<float>()[slices.back().count - 1] += 1;
    return done;
  }

 private:
  Group& group_;
  Buffer spare_;
  bool forgets_;
};

TEST(ScheduleChecks, WrongSumsAreSeen) {
  Group group = test::cpu_group(3);
  EXPECT_TRUE(failed(check_device_sum(check_sum(*make_reducer("ring", group), group, 1000))).empty());
  SpoiltReducer forgets(group, true), flips(group, false);
  const SumCheck lost = check_sum(forgets, group, 1000);
  EXPECT_EQ(lost.wrong, 3000);
  EXPECT_EQ(failed(check_device_sum(lost)).size(), 2u);
  const SumCheck flipped = check_sum(flips, group, 1000);
  EXPECT_EQ(flipped.wrong, 1);
  EXPECT_NE(flipped.first_wrong.find("rank 2 element 999"), std::string::npos) << flipped.first_wrong;
  EXPECT_FALSE(flipped.identical());
}

TEST(ExactCheck, OneDeviceKeepsItsInput) {
  Group group = test::cpu_group(1);
  for (const std::string& algorithm : schedule_names())
    EXPECT_EQ(check_sum(*make_reducer(algorithm, group), group, 1'000'003).wrong, 0) << algorithm;
}

TEST(TrafficForms, UnknownAlgorithmIsAnInternalError) {
  class Nameless final : public Schedule {
    std::string name() const override { return "nameless"; }
    int world_size() const override { return 2; }
    int num_chunks() const override { return 1; }
    int num_steps() const override { return 0; }
    std::vector<Transfer> step(int) const override { return {}; }
  };
  EXPECT_THROW(elements_sent(Nameless(), 1, 0), Error);
}

}  // namespace
}  // namespace dpx
