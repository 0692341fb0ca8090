#pragma once
// The two constants of a link, and a time split by them.

namespace dpx {

/// One transfer of m bytes over the link takes alpha_s + m / beta_Bps.
struct AlphaBeta {
  double alpha_s = 0;
  double beta_Bps = 0;
};

/// Time of a collective: what its transfers' starts cost and what its bytes cost.
struct CommTime {
  double latency_s = 0;
  double bandwidth_s = 0;
  double total_s() const { return latency_s + bandwidth_s; }
  /// Part of the total that is latency; 0 when the total is.
  double latency_share() const { return total_s() > 0 ? latency_s / total_s() : 0; }
};

/// How the ports are wired, the two assumptions of the chapter's exercise 11.1.
enum class Wiring {
  full_duplex,  ///< every port sends and receives at once, one message each way at a time; all ports work
                ///< concurrently
  bus           ///< one transfer at a time on the whole machine
};

/// Smallest L with 2^L >= k: the levels of a tree of k ranks. Source: chapter, exercise 4.2.
constexpr int tree_levels(int k) {
  int levels = 0;
  while ((1LL << levels) < k) ++levels;
  return levels;
}

}  // namespace dpx
