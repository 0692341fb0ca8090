#pragma once
// Whether the second device pays, from a model's arithmetic per byte of gradient and the achieved rate.

namespace dpx {

/// What one step on `batch` examples asks of devices and link.
struct StepWork {
  double macs_per_example = 0;  ///< multiply-adds of the forward pass
  double gradient_bytes = 0;
  double batch = 0;
  double macs_per_byte() const { return macs_per_example / gradient_bytes; }
};

/// t(1) / t(2) when computing takes 3 x 2 FLOP per multiply-add and example at the same rate on both, and
/// the allreduce 2N/beta: 1 / (1/2 + R / (3 B beta MAC/N)). Units: FLOP/s, bytes/s. Source: chapter, equation
/// 13.5.2 and exercise 10.3.
double two_device_speedup(const StepWork& work, double rate_FLOPps, double beta_Bps);

/// Achieved rate below which the second device pays: 3/2 B (MAC/N) beta. Units: FLOP/s, bytes/s. Source:
/// chapter, exercise 10.3.
double break_even_rate_FLOPps(double batch, double macs_per_byte, double beta_Bps);

}  // namespace dpx
