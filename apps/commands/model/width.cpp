// Topic width: LeNet's gradient bytes and arithmetic by width, and when a second device pays.
#include <fmt/format.h>

#include "apps/commands/model/format.hpp"
#include "apps/commands/model/topic.hpp"
#include "apps/table.hpp"
#include "lib/comm/cost_model/compute_rate.hpp"
#include "lib/core/units.hpp"
#include "lib/model/lenet.hpp"

namespace dpx {
namespace {

// Coefficient of w^2, exact: half the second difference of a quadratic.
template <class Count>
double leading_coefficient(Count count) {
  return (count(3) - 2 * count(2) + count(1)) / 2;
}

StepWork work_of(double width, double batch) {
  const LeNet model{int(width)};
  return {double(model.forward_macs()), 4.0 * double(model.num_params()), batch};
}

StepWork leading_work(double batch) {
  return {leading_coefficient([](int w) { return double(LeNet(w).forward_macs()); }),
          leading_coefficient([](int w) { return 4.0 * double(LeNet(w).num_params()); }), batch};
}

}  // namespace

void model_width(const ModelOptions& o, Run& run) {
  const double batch = o.number_or("batch", 256);
  const bool linked = o.has("beta"), rated = linked && o.has("tflops");
  for (const char* flag : {"tflops", "batch"}) o.require_with(flag, "beta");
  const double beta = linked ? o.number("beta") : 0, rate = rated ? o.number("tflops") * 1e12 : 0;
  run.out << o.source_line()
          << "LeNet, all channels and the hidden layer times w; forward multiply-adds per example\n"
          << (linked
                  ? "a second GPU pays below R = 3/2 B (MAC/N) beta; speedup = 1/(1/2 + R/(3 B beta MAC/N)), "
                    "allreduce 2N/beta\n"
                  : "")
          << (linked ? fmt::format("B {}, beta {}\n\n", four_digits(batch), rate_text(beta)) : "\n");
  std::vector<std::string> headers{"width", "parameters", "N (MB)", "MAC (M)", "MAC/N"};
  if (linked) headers.push_back("pays below (TFLOP/s)");
  if (rated) headers.push_back(fmt::format("speedup at {} TFLOP/s", four_digits(rate / 1e12)));
  Table table(headers);
  const auto add = [&](const std::string& label, const StepWork& work, std::vector<std::string> cells) {
    cells.insert(cells.begin(), label);
    cells.push_back(fmt::format("{:.3f}", work.macs_per_byte()));
    if (linked)
      cells.push_back(
          fmt::format("{:.2f}", break_even_rate_FLOPps(batch, work.macs_per_byte(), beta) / 1e12));
    if (rated) cells.push_back(fmt::format("{:.3f}", two_device_speedup(work, rate, beta)));
    table.row(cells);
  };
  const auto metrics = [&](const StepWork& work) {
    Json out = {{"macs_per_byte", work.macs_per_byte()}};
    if (linked) out["break_even_TFLOPps"] = break_even_rate_FLOPps(batch, work.macs_per_byte(), beta) / 1e12;
    if (rated) out["speedup_2_gpus"] = two_device_speedup(work, rate, beta);
    return out;
  };
  for (const std::int64_t width : o.width) {
    const StepWork work = work_of(double(width), batch);
    add(std::to_string(width), work,
        {fmt::format("{:.0f}", work.gradient_bytes / 4), fmt::format("{:.3f}", work.gradient_bytes / 1e6),
         fmt::format("{:.2f}", work.macs_per_example / 1e6)});
    Case row;
    row.key = {{"topic", "width"}, {"width", width}};
    row.metrics = {{"num_params", json_bytes(work.gradient_bytes / 4)},
                   {"gradient_bytes", json_bytes(work.gradient_bytes)},
                   {"forward_macs", json_bytes(work.macs_per_example)}};
    row.metrics.update(metrics(work));
    run.record.add_case(row);
  }
  const StepWork limit = leading_work(batch);
  add("limit", limit, {"", "", ""});
  table.print(run.out);
  run.out << "N grows with w^2 as the arithmetic does, so a wider net changes little; a larger batch raises "
             "the rate in "
             "proportion\n";
  run.record.verdict()["limit"] = metrics(limit);
  run.record.verdict()["inputs"] = {{"batch", batch}, {"beta_Bps", linked ? Json(beta) : Json()}};
}

}  // namespace dpx
