#include "lib/comm/cost_model/compute_rate.hpp"

namespace dpx {

double two_device_speedup(const StepWork& work, double rate_FLOPps, double beta_Bps) {
  return 1 / (0.5 + rate_FLOPps / (3 * work.batch * beta_Bps * work.macs_per_byte()));
}

double break_even_rate_FLOPps(double batch, double macs_per_byte, double beta_Bps) {
  return 1.5 * batch * macs_per_byte * beta_Bps;
}

}  // namespace dpx
