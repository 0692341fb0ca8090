// Topic memory: what every device of a data-parallel run holds.
#include "lib/comm/cost_model/memory.hpp"

#include <fmt/format.h>

#include <cmath>

#include "apps/commands/model/format.hpp"
#include "apps/commands/model/topic.hpp"
#include "apps/table.hpp"
#include "lib/core/error.hpp"

namespace dpx {

void model_memory(const ModelOptions& o, Run& run) {
  const bool sized = o.has("params"), carded = o.has("card");
  if (!sized && !carded) o.number("params");  // refuses
  o.require_with("gpus", "params");
  const double adam = o.number_or("bytes-per-param", kAdamBytesPerParam);
  const std::vector<std::pair<std::string, double>> recipes{
      {"parameters + gradients, fp32", sgd_memory_bytes(1)},
      {o.has("bytes-per-param") ? "as given" : "mixed-precision Adam (2 + 2 + 4 + 4 + 4)", adam}};
  run.out << o.source_line()
          << "every device holds a full copy, whatever their number; activations come on top\n\n";
  std::vector<std::string> headers{"<what", "B/parameter"};
  if (sized) headers.push_back(fmt::format("per device, {} parameters", parameters(o.number("params"))));
  if (sized && o.has("gpus"))
    for (const std::int64_t k : o.gpus) headers.push_back(fmt::format("all {}", k));
  if (carded) headers.push_back(fmt::format("largest model in {}", decimal_bytes(double(o.card))));
  Table table(headers);
  for (const auto& [name, per_param] : recipes) {
    std::vector<std::string> cells{name, four_digits(per_param)};
    Case row;
    row.key = {{"topic", "memory"}, {"what", name}, {"bytes_per_param", per_param}};
    if (sized) {
      const double bytes = training_memory_bytes(o.number("params"), per_param);
      cells.push_back(decimal_bytes(bytes));
      row.metrics["device_bytes"] = json_bytes(bytes);
      if (o.has("gpus"))
        for (const std::int64_t k : o.gpus) cells.push_back(decimal_bytes(double(k) * bytes));
      if (carded) row.metrics["fits"] = bytes <= double(o.card);
    }
    if (carded) {
      const double most = largest_model_params(double(o.card), per_param);
      cells.push_back(parameters(std::floor(most)) + " parameters");
      row.metrics["largest_model_params"] = most;
    }
    table.row(cells);
    run.record.add_case(row);
  }
  table.print(run.out);
  if (sized && carded)
    run.out << fmt::format(
        "{} parameters {} a device of {} with {} bytes each\n", parameters(o.number("params")),
        training_memory_bytes(o.number("params"), adam) <= double(o.card) ? "fit" : "do not fit",
        decimal_bytes(double(o.card)), four_digits(adam));
}

}  // namespace dpx
