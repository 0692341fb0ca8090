#pragma once
// Reader of the JSON file that nccl-tests' all_reduce_perf writes with -J.
#include <optional>
#include <string>
#include <vector>

namespace dpx {

struct NcclTestsRow {
  double bytes = 0;
  bool in_place = false;
  double time_s = 0;
  std::optional<double> busbw_Bps;  ///< as the file says, where it is a number
  std::optional<double> wrong;      ///< wrong elements, where they were counted
};

struct NcclTestsFile {
  int gpus = 0;  ///< ranks: threads x GPUs per thread x processes
  std::vector<NcclTestsRow> rows;
};

/// Reads `path` (format versions 2 and 3). Units: its microseconds become s, its GB/s (10^9) bytes/s.
/// Errors: Exit::usage, one line: not readable, no such file of nccl-tests, another collective or version.
NcclTestsFile read_nccl_tests(const std::string& path);

}  // namespace dpx
