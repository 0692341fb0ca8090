#include "lib/comm/traffic_forms.hpp"

#include <bit>

#include "lib/core/error.hpp"

namespace dpx {
namespace {

struct Cut {
  int k, chunks;
  std::size_t count;
  std::int64_t size(int first, int num = 1) const {
    const int begin = first % chunks;
    return std::int64_t(
        parts_of({0, count}, std::size_t(chunks), std::size_t(begin), std::size_t(num)).count);
  }
  std::int64_t total() const { return std::int64_t(count); }
};

// Once all chunks but the own one, once all but the neighbour's.
std::int64_t ring(const Cut& cut, int rank) {
  return 2 * cut.total() - cut.size(rank) - cut.size(rank + 1);
}

std::int64_t star(const Cut& cut, int rank) {
  return rank == 0 ? (cut.k - 1) * cut.total() : cut.total();
}

// Up once to the parent, down once to each child: rank + 1, rank + 2, rank + 4, ... below its own lowest bit.
std::int64_t tree(const Cut& cut, int rank) {
  std::int64_t messages = rank == 0 ? 0 : 1;
  for (int d = 1; rank + d < cut.k && (rank & d) == 0; d *= 2) ++messages;
  return messages * cut.total();
}

// Halving sends all but the own chunk; doubling the aligned blocks of 1, 2, 4, ... chunks around it.
std::int64_t halving_doubling(const Cut& cut, int rank) {
  std::int64_t sent = cut.total() - cut.size(rank);
  for (int d = 1; d < cut.k; d *= 2) sent += cut.size(rank / d * d, d);
  return sent;
}

// Pushes every chunk it does not serve, and gives its own to everybody else.
std::int64_t parameter_server(const Cut& cut, int rank) {
  const std::int64_t served = rank < cut.chunks ? cut.size(rank) : 0;
  return cut.total() - served + (cut.k - 1) * served;
}

struct Form {
  std::string_view algorithm, busiest;
  std::int64_t (*sent)(const Cut&, int rank);
};

constexpr Form kForms[] = {
    {"star", "(k-1) N", star},
    {"ring", "2(k-1)/k N", ring},
    {"tree", "ceil(log2 k) N", tree},
    {"halving-doubling", "2(k-1)/k N", halving_doubling},
    {"direct", "2(k-1)/k N", parameter_server},
    {"parameter-server", "(1 + (k-2)/s) N", parameter_server},
};

const Form& form_of(const Schedule& schedule) {
  const std::string name = split_algorithm(schedule.name()).base;
  for (const Form& form : kForms)
    if (form.algorithm == name) return form;
  throw Error(Exit::internal, "no closed form of the bytes of " + name);
}

}  // namespace

std::int64_t elements_sent(const Schedule& schedule, std::size_t count, int rank) {
  if (schedule.world_size() == 1) return 0;
  return form_of(schedule).sent({schedule.world_size(), schedule.num_chunks(), count}, rank);
}

std::string_view busiest_formula(const Schedule& schedule) {
  return form_of(schedule).busiest;
}

}  // namespace dpx
