// One parser for sizes, times and rates; field cases F036 to F041.
#include "lib/core/units.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/expect_error.hpp"

namespace dpx {
namespace {

using test::error_of;
using test::has;

TEST(Sizes, AreReadWithEverySuffix) {
  const std::vector<std::pair<std::string, std::int64_t>> sizes = {
      {"0", 0},
      {"7", 7},
      {"256M", 268'435'456},
      {"64m", 67'108'864},
      {"4GiB", 4'294'967'296},
      {"4gib", 4'294'967'296},
      {"1e9", 1'000'000'000},
      {"1.5G", 1'610'612'736},
      {"256MB", 256'000'000},
      {"256mb", 256'000'000},
      {"1KB", 1000},
      {"1KiB", 1024},
      {"1T", 1'099'511'627'776},
      {"1TB", 1'000'000'000'000},
      {"0.5K", 512},
      {"1.500K", 1536},
      {"2.5e3", 2500},
      {"12B", 12},
      {"9223372036854775807", INT64_MAX},
      {"8388607T", 8388607ll << 40},
  };
  for (const auto& [text, bytes] : sizes) EXPECT_EQ(parse_bytes(text), bytes) << text;
}

TEST(Sizes, AreRefusedWithTheValueAndTheReason) {
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"", "is empty"},
      {"M", "does not start with a digit"},
      {"12junk", "unknown unit \"junk\""},
      {"0x10", "hexadecimal"},
      {"-1", "sign"},
      {"+1", "sign"},
      {"1 M", "blank"},
      {" 1M", "blank"},
      {"1M ", "blank"},
      {"1.5", "no whole number"},
      {"1.0001K", "no whole number"},
      {"1.", "no digit after its point"},
      {".5M", "does not start with a digit"},
      {"1e-3", "unknown unit \"e-3\""},
      {"1e+3", "unknown unit \"e+3\""},
      {"1E", "unknown unit"},
      {"1KiBs", "unknown unit"},
      {"1MM", "unknown unit"},
      {"1,5M", "unknown unit"},
      {"9223372036854775808", "is above 9223372036854775807"},
      {"8388608T", "is above"},
      {"1e400", "is above"},
      {"99999999999999999999999999999999999999999", "too many digits"},
      {"nan", "does not start with a digit"},
      {"inf", "does not start with a digit"},
  };
  for (const auto& [text, why] : refused)
    EXPECT_TRUE(has(error_of([&] { parse_bytes(text); }), "\"" + text + "\"", why)) << text;
}

TEST(Times, AreReadInSeconds) {
  EXPECT_DOUBLE_EQ(parse_seconds("10us"), 10e-6);
  EXPECT_DOUBLE_EQ(parse_seconds("2ms"), 2e-3);
  EXPECT_DOUBLE_EQ(parse_seconds("1.5s"), 1.5);
  EXPECT_DOUBLE_EQ(parse_seconds("3ns"), 3e-9);
  EXPECT_DOUBLE_EQ(parse_seconds("0s"), 0);
  EXPECT_TRUE(has(error_of([] { parse_seconds("5"); }), "\"5\"", "has no unit"));
  EXPECT_TRUE(has(error_of([] { parse_seconds("5min"); }), "unknown unit \"min\""));
  EXPECT_TRUE(has(error_of([] { parse_seconds("-5s"); }), "sign"));
  EXPECT_TRUE(has(error_of([] { parse_seconds("1e400s"); }), "out of range"));
  EXPECT_TRUE(has(error_of([] { parse_seconds("5 s"); }), "blank"));
  EXPECT_TRUE(has(error_of([] { parse_seconds(""); }), "empty"));
}

TEST(Rates, AreReadInBytesPerSecond) {
  EXPECT_DOUBLE_EQ(parse_rate_Bps("5GB/s"), 5e9);
  EXPECT_DOUBLE_EQ(parse_rate_Bps("450GB/s"), 450e9);
  EXPECT_DOUBLE_EQ(parse_rate_Bps("1.75GB/s"), 1.75e9);
  EXPECT_DOUBLE_EQ(parse_rate_Bps("1GiB/s"), 1073741824.0);
  EXPECT_DOUBLE_EQ(parse_rate_Bps("9B/s"), 9);
  EXPECT_TRUE(has(error_of([] { parse_rate_Bps("5"); }), "has no unit"));
  EXPECT_TRUE(has(error_of([] { parse_rate_Bps("5GB"); }), "unknown unit \"GB\""));
  EXPECT_TRUE(has(error_of([] { parse_rate_Bps("5Gb/s"); }), "unknown unit \"Gb/s\""));
  EXPECT_TRUE(has(error_of([] { parse_rate_Bps("0GB/s"); }), "is zero"));
  EXPECT_TRUE(has(error_of([] { parse_rate_Bps("1e308GB/s"); }), "out of range"));
}

TEST(Ranges, AreGeometricArithmeticOrListed) {
  using List = std::vector<std::int64_t>;
  EXPECT_EQ(parse_sizes("1K:256K:x4"), (List{1024, 4096, 16384, 65536, 262144}));
  EXPECT_EQ(parse_sizes("1M:8M:+2M"), (List{1 << 20, 3 << 20, 5 << 20, 7 << 20}));  // F036
  EXPECT_EQ(parse_sizes("32:64:+32"), (List{32, 64}));
  EXPECT_EQ(parse_sizes("1K,64K,1M"), (List{1024, 65536, 1048576}));
  EXPECT_EQ(parse_sizes("5:5:x2"), (List{5}));
  EXPECT_EQ(parse_sizes("0,8:16:x2"), (List{0, 8, 16}));
  EXPECT_EQ(parse_sizes("9223372036854775806:9223372036854775807:x2").size(), 1u);
}

TEST(Ranges, AreRefusedWithTheReason) {
  EXPECT_TRUE(has(error_of([] { parse_sizes("1G:1M:x2"); }), "last 1M is below first 1G"));  // F037
  EXPECT_TRUE(has(error_of([] { parse_sizes("1:8"); }), "has no step"));
  EXPECT_TRUE(has(error_of([] { parse_sizes("1:8:2"); }), "has no step"));
  EXPECT_TRUE(has(error_of([] { parse_sizes("1:8:x1"); }), "factor must be 2 or more"));
  EXPECT_TRUE(has(error_of([] { parse_sizes("0:8:x2"); }), "start above 0"));
  EXPECT_TRUE(has(error_of([] { parse_sizes("1:8:+0"); }), "step must be 1 or more"));
  EXPECT_TRUE(has(error_of([] { parse_sizes("1,,2"); }), "empty item"));
  EXPECT_TRUE(has(error_of([] { parse_sizes("1,"); }), "empty item"));
  EXPECT_TRUE(has(error_of([] { parse_sizes(""); }), "is empty"));
  EXPECT_TRUE(has(error_of([] { parse_sizes("1:1T:+1"); }), "more than 65536 values"));
  EXPECT_TRUE(has(error_of([] { parse_sizes("1:2:x2:3"); }), "unknown unit"));
}

TEST(Formats, AreForPeople) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(65536), "64 KiB");
  EXPECT_EQ(format_bytes(268'435'456), "256 MiB");
  EXPECT_EQ(format_bytes(516'272), "504.2 KiB");
  EXPECT_EQ(format_seconds(0), "0 s");
  EXPECT_EQ(format_seconds(3e-9), "3.00 ns");
  EXPECT_EQ(format_seconds(211.6e-6), "212 us");
  EXPECT_EQ(format_seconds(31.1e-3), "31.1 ms");
  EXPECT_EQ(format_seconds(0.9999), "1.00 s");
  EXPECT_EQ(format_seconds(-1.5), "-1.50 s");
  EXPECT_EQ(format_seconds(std::nan("")), "n/a");
  EXPECT_EQ(format_rate(8.63e9), "8.63 GB/s");
  EXPECT_EQ(format_rate(450e9), "450 GB/s");
  EXPECT_EQ(format_rate(1e9), "1.00 GB/s");
  EXPECT_EQ(format_rate(120.4e6), "120 MB/s");
  EXPECT_EQ(format_rate(8e3), "8.00 KB/s");
  EXPECT_EQ(format_rate(std::nan("")), "n/a");
}

}  // namespace
}  // namespace dpx
