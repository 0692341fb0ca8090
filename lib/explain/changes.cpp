// What would change the outcome, with numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/core/units.hpp"
#include "lib/explain/explain.hpp"
#include "lib/model/lenet.hpp"

namespace dpx {
namespace {

constexpr double kSlower = 1.05;     // on average: less is noise
constexpr double kContention = 0.1;  // of the step
constexpr int kMaxWidth = 16, kMaxGpus = 1024;

void add(Explanation& e, std::string key, std::optional<double> value, std::string text) {
  e.changes.push_back({std::move(key), value, std::move(text)});
}

/// The cost at another width, its arithmetic and bytes in proportion to LeNet's.
StepCost at_width(const StepCost& cost, int from, int to) {
  const LeNet before(from), after(to);
  StepCost out = cost;
  out.per_example_s *= double(after.training_macs()) / double(before.training_macs());
  out.gradient_bytes *= double(after.num_params()) / double(before.num_params());
  return out;
}

void add_equal_ranks(const StepFacts& f, Explanation& e) {
  const auto& ranks = f.rank_compute_s;
  if (ranks.size() < 2 || f.step.straggler_s < 0.02 * f.step.total_s()) return;
  const auto slowest = std::max_element(ranks.begin(), ranks.end());
  const auto fastest = std::min_element(ranks.begin(), ranks.end());
  const double without_s = f.step.total_s() - f.step.straggler_s;
  const std::string who = *slowest > kSlower * *fastest
                              ? fmt::format("rank {} computes {}, the fastest {}", slowest - ranks.begin(),
                                            format_seconds(*slowest), format_seconds(*fastest))
                              : "no rank is slower on average: now one, now another is late (noise)";
  add(e, "step_s_with_equal_ranks", without_s,
      fmt::format("ranks of equal speed: a step of at least {} instead of {}; {}", format_seconds(without_s),
                  format_seconds(f.step.total_s()), who));
}

// The same work takes one device alone less time than k at once.
void add_contention(const StepFacts& f, Explanation& e) {
  const double here_s = f.step.data_s + f.step.compute_s + f.step.update_s;
  const double alone_s = f.algorithm->step_s(1, std::ceil(f.batch / f.gpus));
  if (here_s - alone_s < kContention * f.step.total_s()) return;
  add(e, "compute_s_of_one_device_alone", alone_s,
      fmt::format("devices that do not slow one another: the shard takes {}, one device alone {} (they share "
                  "cores, caches or power, or the machine is busy)",
                  format_seconds(here_s), format_seconds(alone_s)));
}

void add_fusion(const StepFacts& f, Explanation& e) {
  const Fusion both = fusion(*f.algorithm, f.gpus);
  if (f.algorithm->runs < 2 || both.fused_s <= 0) return;
  add(e, "fused_allreduce_s", both.fused_s,
      fmt::format("one buffer instead of {}: allreduce {} instead of {}, {:.2f}x less", f.algorithm->runs,
                  format_seconds(both.fused_s), format_seconds(both.apart_s), both.ratio()));
}

void add_bandwidth(const StepFacts& f, Explanation& e) {
  const std::optional<double> least_Bps = break_even_bandwidth_Bps(*f.algorithm, f.gpus, f.batch);
  const double here_Bps = f.algorithm->link.beta_Bps;
  add(e, "break_even_bandwidth_Bps", least_Bps,
      least_Bps
          ? fmt::format("least bandwidth at which {} beat one: {} (here {})", f.gpus, format_rate(*least_Bps),
                        std::isfinite(here_Bps) ? format_rate(here_Bps) : "too high to be seen")
          : fmt::format("no bandwidth lets {} beat one: starts of messages cost more than computing "
                        "shrinks by",
                        f.gpus));
}

void add_batch(const StepFacts& f, Explanation& e) {
  if (const std::optional<double> batch = break_even_batch(*f.algorithm, f.gpus))
    add(e, "break_even_batch", *batch,
        fmt::format("smallest batch at which {} beat one: {:.0f} (here {:.0f})", f.gpus,
                    std::max<double>(f.gpus, std::floor(*batch) + 1), f.batch));
}

void add_width(const StepFacts& f, Explanation& e) {
  for (int width = 1; width <= kMaxWidth; ++width) {
    const std::optional<double> batch = break_even_batch(at_width(*f.algorithm, f.width, width), f.gpus);
    if (!batch || *batch >= f.batch) continue;
    add(e, "break_even_width", width,
        fmt::format("smallest width at which {} beat one at this batch: {} (here {})", f.gpus, width,
                    f.width));
    return;
  }
  add(e, "break_even_width", std::nullopt,
      fmt::format("no width up to {} lets {} beat one at this batch", kMaxWidth, f.gpus));
}

void add_best_gpus(const StepFacts& f, Explanation& e) {
  const int most = int(std::min<double>(f.batch, kMaxGpus));
  const int best = best_world_size(*f.algorithm, f.batch, most);
  const double speedup =
      f.algorithm->step_s(1, f.batch) / f.algorithm->step_s(best, std::ceil(f.batch / best));
  add(e, "best_gpus", best,
      fmt::format("best number of devices of 1..{}: {}, {:.2f}x as fast as one", most, best, speedup));
}

// Weak scaling: the batch per device at which k devices reach the efficiency that counts as paying.
void add_weak_batch(const StepFacts& f, Explanation& e) {
  const StepCost& cost = *f.algorithm;
  if (cost.per_example_s <= 0) return;
  const double needed_s = cost.comm(f.gpus).total_s() * kPaysEfficiency / (1 - kPaysEfficiency);
  const double batch = std::max(1.0, std::ceil((needed_s - cost.fixed_s) / cost.per_example_s));
  add(e, "batch_per_device_that_pays", batch,
      fmt::format("smallest batch per device with {:.0f} % of the ideal throughput: {:.0f} (here {:.0f})",
                  100 * kPaysEfficiency, batch, f.batch / f.gpus));
}

}  // namespace

void add_changes(const StepFacts& f, Explanation& e) {
  add_equal_ranks(f, e);
  if (f.gpus > 1 && f.has_compute) add_contention(f, e);
  if (f.gpus < 2 || !f.has_link) return;
  add_fusion(f, e);
  if (!f.has_compute) {
    e.doubt(
        "break-even bandwidth, batch, width and best k: the record has no t0 and c (explain --from SWEEP)");
    return;
  }
  if (f.weak) return add_weak_batch(f, e);
  add_bandwidth(f, e);
  add_batch(f, e);
  add_width(f, e);
  add_best_gpus(f, e);
}

}  // namespace dpx
