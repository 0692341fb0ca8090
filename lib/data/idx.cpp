#include "lib/data/idx.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "lib/core/error.hpp"
#include "lib/data/packed_file.hpp"

namespace dpx {
namespace {

constexpr std::uint32_t kImagesMagic = 2051, kLabelsMagic = 2049;
constexpr std::uint64_t kSide = 28, kClasses = 10;
constexpr std::size_t kImagesHeader = 16, kLabelsHeader = 8;

using Bytes = std::span<const std::uint8_t>;

struct Header {
  std::array<std::uint8_t, kImagesHeader> raw{};
  std::size_t bytes = 0;
  std::uint64_t count = 0, total_bytes = 0;

  std::uint32_t word(std::size_t i) const {
    return std::uint32_t(raw[4 * i]) << 24 | std::uint32_t(raw[4 * i + 1]) << 16 |
           std::uint32_t(raw[4 * i + 2]) << 8 | std::uint32_t(raw[4 * i + 3]);
  }
};

[[noreturn]] void refuse(const PackedFile& file, const std::string& what) {
  throw Error(Exit::bad_data, fmt::format("{}: {}", file.path(), what));
}

bool looks_like_text(Bytes start) {
  return !start.empty() && std::ranges::all_of(start, [](std::uint8_t c) {
    return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c != 0x7f);
  });
}

std::string printable(Bytes start) {
  std::string text(start.begin(), start.end());
  for (char& c : text)
    if (c < 0x20 || c > 0x7e) c = '.';
  return text;
}

[[noreturn]] void refuse_text(const PackedFile& file, Bytes start) {
  const auto first = std::ranges::find_if(start, [](std::uint8_t c) { return c > ' '; });
  const std::string_view kind = first != start.end() && *first == '<' ? "HTML" : "text";
  refuse(file, fmt::format("{}, looks like {}: {} bytes that start with \"{}\"",
                           file.gzip() ? "unpacks to something that is not IDX" : "neither gzip nor IDX",
                           kind, file.stored_bytes(), printable(start)));
}

std::string hex(Bytes start) {
  std::string text;
  for (std::uint8_t byte : start) text += fmt::format("{}{:02x}", text.empty() ? "" : " ", byte);
  return text;
}

std::string_view kind_name(IdxKind kind) {
  return kind == IdxKind::images ? "images" : "labels";
}

void check_magic(const PackedFile& file, const Header& header, IdxKind kind) {
  const std::uint32_t expected = kind == IdxKind::images ? kImagesMagic : kLabelsMagic,
                      found = header.word(0);
  if (found == expected) return;
  const std::string wanted = fmt::format("expected {} (magic {})", kind_name(kind), expected);
  if (found == kImagesMagic || found == kLabelsMagic)
    refuse(file, fmt::format("{}, found {} ({})", wanted,
                             kind_name(found == kImagesMagic ? IdxKind::images : IdxKind::labels), found));
  refuse(file,
         fmt::format("{}, found magic {}: {} bytes{} that start with {}", wanted, found, file.stored_bytes(),
                     file.gzip() ? " of gzip" : "", hex(Bytes(header.raw).first(kLabelsHeader))));
}

Header read_header(PackedFile& file, IdxKind kind) {
  Header header;
  header.bytes = kind == IdxKind::images ? kImagesHeader : kLabelsHeader;
  const std::size_t got = file.read(header.raw.data(), header.bytes);
  const Bytes start(header.raw.data(), got);
  if (looks_like_text(start)) refuse_text(file, start);
  if (got < header.bytes)
    refuse(file, fmt::format("{}{} bytes, header needs {}",
                             file.truncated() ? "truncated gzip: unpacks to "
                             : file.gzip()    ? "unpacks to "
                                              : "",
                             got, header.bytes));
  check_magic(file, header, kind);
  if (kind == IdxKind::images && (header.word(2) != kSide || header.word(3) != kSide))
    refuse(file, fmt::format("images are {}x{}, expected 28x28", header.word(2), header.word(3)));
  header.count = header.word(1);
  if (header.count == 0)
    refuse(file, fmt::format("header counts 0 {}, expected at least 1", kind_name(kind)));
  // At most 2^32 * 784, far from 2^64: cannot overflow once the sides are known.
  header.total_bytes = header.bytes + header.count * (kind == IdxKind::images ? kSide * kSide : 1);
  return header;
}

[[noreturn]] void refuse_size(const PackedFile& file, std::uint64_t expected, std::uint64_t got) {
  if (file.truncated()) refuse(file, fmt::format("truncated gzip: {} bytes expected, {} got", expected, got));
  const std::string_view holds = file.gzip() ? "unpacks to" : "holds";
  if (got < expected)
    refuse(file, fmt::format("header announces {} bytes, file {} {}", expected, holds, got));
  refuse(file, fmt::format("{} trailing bytes: header announces {} bytes, file {} {}", got - expected,
                           expected, holds, got));
}

std::uint64_t count_bytes(PackedFile& file) {
  std::vector<std::uint8_t> scratch(std::size_t{1} << 16);
  std::uint64_t total = 0;
  while (const std::size_t got = file.read(scratch.data(), scratch.size())) total += got;
  return total;
}

/// Throws unless the file holds exactly `expected` bytes.
void check_size(const PackedFile& file, std::uint64_t expected) {
  if (file.may_unpack_to(expected)) return;
  // Cut off, damaged or unusually packed: count what is there without keeping it.
  PackedFile again(file.path());
  const std::uint64_t total = count_bytes(again);
  if (total != expected || again.truncated()) refuse_size(again, expected, total);
}

std::uint32_t checksum(const Header& header, const std::vector<std::uint8_t>& values) {
  const uLong start = ::crc32_z(0, header.raw.data(), header.bytes);
  return std::uint32_t(::crc32_z(start, values.data(), values.size()));
}

void check_labels(const PackedFile& file, const std::vector<std::uint8_t>& labels) {
  const auto bad = std::ranges::find_if(labels, [](std::uint8_t label) { return label >= kClasses; });
  if (bad != labels.end())
    refuse(file, fmt::format("label {} at index {}, allowed 0..9", *bad, bad - labels.begin()));
}

}  // namespace

IdxFile read_idx(const std::filesystem::path& path, IdxKind kind) {
  PackedFile file(path);
  const Header header = read_header(file, kind);
  check_size(file, header.total_bytes);
  IdxFile idx{file.path(), header.count, {}, header.total_bytes, 0};
  idx.values.resize(header.total_bytes - header.bytes);
  const std::size_t got = file.read(idx.values.data(), idx.values.size());
  const std::uint64_t beyond = count_bytes(file);  // reading on also makes zlib verify its trailer
  if (got < idx.values.size() || beyond > 0 || file.truncated())
    refuse_size(file, header.total_bytes, header.bytes + got + beyond);
  idx.crc32 = checksum(header, idx.values);
  if (kind == IdxKind::labels) check_labels(file, idx.values);
  return idx;
}

}  // namespace dpx
