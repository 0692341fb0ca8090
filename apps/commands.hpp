#pragma once
// The list of commands. A new one is a file in apps/commands/, its maker and one line in commands.cpp.
#include <vector>

#include "apps/experiment.hpp"

namespace dpx {

std::unique_ptr<Experiment> make_train();
std::unique_ptr<Experiment> make_parity();
std::unique_ptr<Experiment> make_allreduce_bench();
std::unique_ptr<Experiment> make_scaling_sweep();
std::unique_ptr<Experiment> make_explain();
std::unique_ptr<Experiment> make_model();
std::unique_ptr<Experiment> make_links();
std::unique_ptr<Experiment> make_ring_command();

const std::vector<Command>& commands();

}  // namespace dpx
