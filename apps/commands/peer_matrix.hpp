#pragma once
// dpx links: which device reaches which other's memory, and the names under which transports are known.
#include <string>

#include "apps/experiment.hpp"
#include "lib/backend/backend.hpp"
#include "lib/comm/group.hpp"

namespace dpx {

/// Prints the matrix of peer access of the devices that `backend` opened as `group`, with the reason of every
/// pair that has none, and puts it into the record's verdict. Nothing where the question has no meaning.
void report_peer_access(Run& run, const Backend& backend, const Group& group);

/// "host-staged: ..." of "staged": who moves the bytes, in the words of the field.
std::string mechanism_of(const std::string& transport);

}  // namespace dpx
