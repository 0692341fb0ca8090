#include "lib/comm/cost_model/pipeline.hpp"

namespace dpx {

double stack_gradient_bytes(const LayerStack& stack) {
  return stack.bytes_per_value * stack.layers * stack.width * stack.width;
}

double data_parallel_crossing_bytes(const LayerStack& stack) {
  return 2 * stack_gradient_bytes(stack);
}

double pipeline_crossing_bytes(const LayerStack& stack) {
  return 2 * stack.bytes_per_value * stack.batch * stack.width;
}

double data_parallel_wins_above_batch(const LayerStack& stack) {
  return stack.layers * stack.width;
}

double bubble_fraction(int micro_batches, int stages) {
  return double(stages - 1) / (micro_batches + stages - 1);
}

}  // namespace dpx
