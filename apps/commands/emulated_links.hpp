#pragma once
// What commands with --link share: the option, the model's times and a timed allreduce.
#include <optional>
#include <string>
#include <vector>

#include "lib/comm/group.hpp"
#include "lib/comm/link_model.hpp"
#include "lib/comm/reducer.hpp"
#include "lib/core/fields.hpp"
#include "lib/record/record.hpp"

namespace dpx {

/// Declares --link; an empty `link` is none.
Field& declare_link(Fields& fields, std::string* link);

/// Nothing where `link` is empty. Errors: as parse_link_model.
std::optional<LinkModel> link_model(const std::string& link);

/// Marks the record's numbers as emulated and keeps the model; after set_devices.
void record_link(Record& record, const LinkModel& link);

/// What allreduces of `runs`, one after the other, take on the link: until the last rank is done. Units:
/// seconds.
double link_time_s(const std::string& algorithm, int world_size, const std::vector<Range>& runs,
                   const LinkModel& link, std::size_t element_bytes = sizeof(float));

/// Real seconds of each of `repetitions` allreduces of `count` zeros, from devices at rest to devices at
/// rest.
std::vector<double> time_allreduces(Reducer& reducer, Group& group, std::size_t count, int repetitions);

}  // namespace dpx
