#pragma once
// Memory that data parallelism asks of every device; it does not shrink with their number.

namespace dpx {

/// Bytes per parameter of mixed-precision Adam: 2 weights, 2 gradients, 4 master weights, 4 + 4 moments.
/// Source: lesson, "Where it breaks".
inline constexpr double kAdamBytesPerParam = 16;

/// A device's copy of parameters and gradients under SGD without momentum: N + N. Units: bytes. Source:
/// chapter, section 13.5.1 (every device holds a full copy).
double sgd_memory_bytes(double params, double bytes_per_value = 4);

/// Weights, gradients and optimizer state. Units: bytes. Source: lesson, "Where it breaks".
double training_memory_bytes(double params, double bytes_per_param = kAdamBytesPerParam);

/// Most parameters that fit on a device of `device_bytes`, activations not counted. Units: bytes. Source:
/// lesson, "Where it breaks".
double largest_model_params(double device_bytes, double bytes_per_param = kAdamBytesPerParam);

}  // namespace dpx
