#include "apps/commands/emulated_links.hpp"

#include <chrono>

#include "lib/comm/simulate.hpp"

namespace dpx {

Field& declare_link(Fields& fields, std::string* link) {
  return fields
      .text(
          "link", link,
          [](const std::string& text) {
            if (!text.empty()) parse_link_model(text);
          },
          "", "emulate such links in real time (CPU devices): " + std::string(kLinkSyntax))
      .optional();
}

std::optional<LinkModel> link_model(const std::string& link) {
  return link.empty() ? std::nullopt : std::optional(parse_link_model(link));
}

void record_link(Record& record, const LinkModel& link) {
  record.environment()["emulated"] = true;
  record.verdict()["link"] = "emulated: " + describe(link);
}

double link_time_s(const std::string& algorithm, int world_size, const std::vector<Range>& runs,
                   const LinkModel& link, std::size_t element_bytes) {
  const auto schedule = make_schedule(algorithm, world_size);
  double time_s = 0;
  for (const Range& run : runs)
    time_s += simulate(*schedule, run.count, std::int64_t(element_bytes), link).time_s;
  return time_s;
}

std::vector<double> time_allreduces(Reducer& reducer, Group& group, std::size_t count, int repetitions) {
  std::vector<Buffer> buffers;
  std::vector<Slice> slices;
  for (int rank = 0; rank < group.size(); ++rank) {
    buffers.push_back(group.device(rank).allocate(count * sizeof(float)));
    slices.push_back({buffers.back().slice(DType::f32).data, count, DType::f32});
  }
  std::vector<double> samples_s;
  for (int i = 0; i < repetitions; ++i) {
    group.synchronize();
    const auto start = std::chrono::steady_clock::now();
    reducer.allreduce(slices, {0, count}, std::vector<Event>(slices.size()));
    group.synchronize();
    samples_s.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return samples_s;
}

}  // namespace dpx
