#pragma once
// Schedule: an allreduce algorithm as data. It says who sends which chunk to whom at each step, and nothing
// else.
#include <memory>
#include <string>
#include <vector>

#include "lib/core/range.hpp"

namespace dpx {

enum class Op { copy, accumulate };

/// Rank `src` sends chunks [first_chunk, first_chunk + num_chunks) to `dst`, which copies or accumulates
/// them.
struct Transfer {
  int src, dst, first_chunk, num_chunks;
  Op op;
  bool operator==(const Transfer&) const = default;
};

/// Rules, proved by the tracer for every schedule and world size:
/// (1) a rank enters a step when its transfers of earlier steps are complete; (2) inside a step no (rank,
/// chunk) is both read and written; (3) transfers into one rank apply in list order; (4) at the end every
/// (rank, chunk) holds each rank's contribution exactly once.
class Schedule {
 public:
  virtual ~Schedule() = default;
  virtual std::string name() const = 0;
  virtual int world_size() const = 0;
  virtual int num_chunks() const = 0;
  virtual int num_steps() const = 0;
  /// Made afresh at each call, so that thousands of ranks need no memory.
  virtual std::vector<Transfer> step(int s) const = 0;
};

/// Names of the algorithms, in the order of help texts.
const std::vector<std::string>& schedule_names();

/// The same for help texts, with what a number may stand for: "star[:pieces], ring, ...".
std::string describe_schedule_names();

/// `name` is one of schedule_names(). Some take a number behind a colon, 1 without it: "parameter-server:2"
/// has two servers, "star:8" and "tree:8" are pipelined over eight pieces of the buffer. Errors: Exit::usage
/// for an unknown name, naming the known ones, and where the algorithm has no such world size.
std::unique_ptr<Schedule> make_schedule(const std::string& name, int world_size);

struct AlgorithmName {
  std::string base;
  int number = 1;
};
/// "star:8" is {"star", 8}; "ring" is {"ring", 1}. Errors: as check_schedule_name.
AlgorithmName split_algorithm(const std::string& name);

/// True for "star:8", whose steps mix pieces of the buffer. Errors: as check_schedule_name.
bool is_pipelined(const std::string& name);

/// The part of make_schedule's refusals that does not depend on the world size; for checking options.
void check_schedule_name(const std::string& name);

}  // namespace dpx
