#pragma once
// Reading the record of an earlier run.
#include <string>

#include "lib/core/fields.hpp"
#include "lib/record/record.hpp"

namespace dpx {

/// The record at `path`; at least "schema" and a text "command" ("?" where it had none) are there. `where`
/// starts the message of a refusal ("--from r.json"). Errors: Exit::usage, one line: not readable, no JSON,
/// no record of dpx, another major version of the schema.
Json read_record(const std::string& path, const std::string& where);

/// A row of a record's "cases".
Case read_case(const Json& row);

}  // namespace dpx
