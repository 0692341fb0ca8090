#pragma once
// The one parser and the one formatter of sizes, times and rates. Independent of the locale.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dpx {

/// What sizes may look like, for help texts and refusals.
inline constexpr std::string_view kSizeSyntax = "256, 64K, 1.5MiB (powers of 1024), 256MB (powers of 1000)";

/// Size such as 256M, 1.5GiB, 64m, 256MB or 1e9.
/// Units: bytes; K M G T and KiB MiB GiB TiB are powers of 1024, KB MB GB TB powers of 1000, upper or lower
/// case. Errors: Exit::usage quoting `text`: sign, blank, hex, trailing text, empty, no whole number, above
/// 2^63 - 1.
std::int64_t parse_bytes(std::string_view text);

/// Time such as 10us, 2ms, 1.5s, 3ns. Units: seconds. Errors: Exit::usage quoting `text`; the unit is
/// required.
double parse_seconds(std::string_view text);

/// Rate such as 5GB/s or 1.75GB/s; KB MB GB TB (powers of 1000), KiB MiB GiB TiB (powers of 1024) or B, then
/// "/s". Units: bytes per second. Errors: Exit::usage quoting `text`; the unit is required, zero is refused.
double parse_rate_Bps(std::string_view text);

/// Sizes or counts as a list "1K,64K,1M", a geometric range "1K:256M:x4" or an arithmetic one "32:1024:+32";
/// the first value always belongs to a range, the last when a step hits it. Errors: Exit::usage: an item
/// refused by parse_bytes, last below first, step that does not grow, above 65,536 items.
std::vector<std::int64_t> parse_sizes(std::string_view text);

/// For people: "512 B", "64 KiB", "1.5 MiB".
std::string format_bytes(std::int64_t bytes);
/// For people, three significant digits: "12.3 us", "1.50 s"; "n/a" when not finite.
std::string format_seconds(double seconds);
/// For people: "8.63 GB/s" (10^9 bytes per second), "120 MB/s"; "n/a" when not finite.
std::string format_rate(double bytes_per_second);

}  // namespace dpx
