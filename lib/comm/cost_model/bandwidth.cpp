#include "lib/comm/cost_model/bandwidth.hpp"

namespace dpx {
namespace {

// The convention's rate per byte per second of algbw.
double factor(int k, Convention convention) {
  switch (convention) {
    case Convention::algbw:
      return 1;
    case Convention::busbw:
      return 2.0 * (k - 1) / k;
    case Convention::effective:
      return 2;
  }
  return 1;
}

}  // namespace

Bandwidths convert_bandwidth(int k, Convention from, double rate_Bps) {
  if (k < 2) return {};
  const double algbw = rate_Bps / factor(k, from);
  return {algbw, algbw * factor(k, Convention::busbw), algbw * factor(k, Convention::effective)};
}

Bandwidths bandwidths(int k, double bytes, double time_s) {
  if (!(time_s > 0)) return {};
  return convert_bandwidth(k, Convention::algbw, bytes / time_s);
}

std::optional<double> allreduce_time_s(int k, double bytes, Convention convention, double rate_Bps) {
  const Bandwidths rates = convert_bandwidth(k, convention, rate_Bps);
  if (!rates.algbw_Bps) return std::nullopt;
  return bytes / *rates.algbw_Bps;
}

std::optional<double> busbw_as_beta_error(int k) {
  if (k < 2) return std::nullopt;
  return 1.0 / (k - 1);
}

}  // namespace dpx
