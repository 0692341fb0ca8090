#include "lib/comm/cost_model/memory.hpp"

namespace dpx {

double sgd_memory_bytes(double params, double bytes_per_value) {
  return 2 * params * bytes_per_value;
}

double training_memory_bytes(double params, double bytes_per_param) {
  return params * bytes_per_param;
}

double largest_model_params(double device_bytes, double bytes_per_param) {
  return device_bytes / bytes_per_param;
}

}  // namespace dpx
