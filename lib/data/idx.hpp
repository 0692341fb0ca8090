#pragma once
// Image and label files in the IDX format of MNIST, plain or gzip-compressed.
// Source: LeCun, Cortes, Burges, "The MNIST database", section "File formats": big-endian magic, extents,
// then bytes.
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dpx {

enum class IdxKind { images, labels };

/// The content of one IDX file.
struct IdxFile {
  std::string path;
  std::size_t count = 0;             ///< examples, at least 1
  std::vector<std::uint8_t> values;  ///< images (count,28,28) or labels (count), each 0..9
  std::uint64_t unpacked_bytes = 0;  ///< header and values
  std::uint32_t crc32 = 0;           ///< zlib's crc32 of the whole unpacked file
};

/// Reads `path`, whether or not it is compressed and whatever its name says.
/// Every extent in the header is checked against the file before memory is taken for it.
/// Errors: Exit::bad_data with the path, the value found and the value expected.
IdxFile read_idx(const std::filesystem::path& path, IdxKind kind);

}  // namespace dpx
