#pragma once
// Closed forms of the time of ring, star and tree on one level of equal links.
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "lib/comm/link_model.hpp"

namespace dpx {

/// The formula that allreduce_time_s evaluates; empty where it knows none. Half-duplex ports: star and tree
/// only, whose ranks never send and receive in one step.
inline std::string_view allreduce_formula(std::string_view algorithm, const LinkModel& model) {
  if (model.two_level()) return "";
  const bool bus = model.duplex == Duplex::bus, half = model.duplex == Duplex::half;
  if (algorithm == "ring") {
    if (half) return "";
    return bus ? "2(k-1) (k alpha + N/beta)" : "2(k-1) (alpha + N/(k beta))";
  }
  if (algorithm == "star") return "2(k-1) (alpha + N/beta)";
  if (algorithm == "tree") return bus ? "2(k-1) (alpha + N/beta)" : "2 ceil(log2 k) (alpha + N/beta)";
  return "";
}

/// Units: `bytes` per rank, seconds; exact where k divides the number of elements. Source: chapter, equation
/// of the ring's cost; lesson, tree.
inline std::optional<double> allreduce_time_s(std::string_view algorithm, int world_size, double bytes,
                                              const LinkModel& model) {
  if (allreduce_formula(algorithm, model).empty()) return std::nullopt;
  const double k = world_size, alpha_s = model.inside.alpha_s, beta_Bps = model.inside.beta_Bps;
  const bool bus = model.duplex == Duplex::bus;
  if (algorithm == "ring")
    return 2 * (k - 1) * (bus ? k * alpha_s + bytes / beta_Bps : alpha_s + bytes / (k * beta_Bps));
  const double rounds = algorithm == "star" || bus ? 2 * (k - 1) : 2 * std::ceil(std::log2(k));
  return rounds * (alpha_s + bytes / beta_Bps);
}

}  // namespace dpx
