#pragma once
// Constants that a measured record carries, for --from.
//
// A command that fits writes them to verdict.fit of its record, each a number or an object with "value"
// (beside it, for example, the ends of its confidence interval); null and absent mean not known:
//   "verdict": {"fit": {"alpha_s": 9.8e-6, "beta_Bps": {"value": 19.7e9, "low": 19.1e9, "high": 20.3e9},
//                       "t0_s": 2e-3, "c_s_per_example": 2e-4, "backward_s": 0.03,
//                       "num_params": 129068, "batch": 256}}
#include <map>
#include <string>

namespace dpx {

struct FitRecord {
  std::string command;
  std::map<std::string, double, std::less<>> constants;  ///< by flag: alpha, beta, t0, c, backward, ...
};

/// Reads `path`. Units: s, bytes/s. Errors: Exit::usage, one line: not readable, no record, another major
/// version of the schema, no fit, or a constant out of its range.
FitRecord read_fit(const std::string& path);

/// "constants from PATH (COMMAND): alpha 9.80 us, beta 19.7 GB/s".
std::string describe(const FitRecord& fit, const std::string& path);

}  // namespace dpx
