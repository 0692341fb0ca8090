#pragma once
// The three bandwidths quoted for an allreduce, and their conversions. On one device none applies.
#include <optional>

namespace dpx {

/// Of an allreduce of N bytes per device in time t. Empty: not applicable (k = 1, or no time passed).
struct Bandwidths {
  std::optional<double> algbw_Bps;      ///< N/t
  std::optional<double> busbw_Bps;      ///< N/t 2(k-1)/k
  std::optional<double> effective_Bps;  ///< 2N/t, the chapter's
};

enum class Convention { algbw, busbw, effective };

/// algbw, busbw and effective of an allreduce on k devices. Units: bytes, seconds, bytes/s. Source: chapter,
/// equation 13.5.3 and section 13.5.4; lesson, "Bus bandwidth".
Bandwidths bandwidths(int k, double bytes, double time_s);

/// The same three from one of them. Units: bytes/s. Source: chapter, exercise 6.2: effective = busbw k/(k-1).
Bandwidths convert_bandwidth(int k, Convention from, double rate_Bps);

/// Time of an allreduce whose bandwidth in one convention is known; empty for k = 1. Units: bytes, bytes/s,
/// seconds. Source: chapter, exercise 6.3.
std::optional<double> allreduce_time_s(int k, double bytes, Convention convention, double rate_Bps);

/// Relative error of the time 2N/beta when busbw is put in for beta: 1/(k-1); empty for k = 1. Source:
/// chapter, exercise 6.3.
std::optional<double> busbw_as_beta_error(int k);

}  // namespace dpx
