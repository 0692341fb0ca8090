#include "apps/commands.hpp"

namespace dpx {

const std::vector<Command>& commands() {
  static const std::vector<Command> list = {
      {"train", "train LeNet on k devices and say where the time went", make_train},
      {"parity", "check that one step on k devices is the step on one", make_parity},
      {"allreduce-bench", "time allreduce algorithms over sizes, checked, beside what memory allows",
       make_allreduce_bench},
      {"scaling-sweep", "fit a machine's constants, predict steps on k devices and measure them beside",
       make_scaling_sweep},
      {"explain", "where a recorded step went, what binds it and what would change that", make_explain},
      {"model", "closed-form answers: allreduce times, speedups, overlap, memory and more", make_model},
      {"links", "time every link between devices and to the host, one way and both ways at once", make_links},
      {"ring", "one allreduce step by step: table, traffic, simulated time, real run", make_ring_command},
  };
  return list;
}

}  // namespace dpx
