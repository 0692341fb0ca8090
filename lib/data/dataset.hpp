#pragma once
// The data a run trains and tests on: read from IDX files or generated.
#include <cstdint>
#include <string>
#include <vector>

#include "lib/device/slice.hpp"

namespace dpx {

/// Images with their labels. One of the two pixel vectors is in use: bytes as in the files, or floats.
struct Examples {
  std::vector<std::uint8_t> pixels_u8;  ///< (size,28,28), 0..255
  std::vector<float> pixels_f32;        ///< (size,28,28)
  std::vector<std::uint8_t> labels;     ///< (size), 0..9

  std::size_t size() const { return labels.size(); }
  /// Shapes: (size,28,28), u8 or f32. Read only, although a Slice cannot say so.
  Slice images() const;
  /// Shapes: (size), u8.
  Slice label_slice() const;
};

/// One file as it was found.
struct SourceFile {
  std::string name;
  std::uint64_t unpacked_bytes = 0;
  std::string crc32;  ///< of the unpacked bytes: "0xb4f29f28"
};

struct Dataset {
  std::string name;  ///< "fashion-mnist", "unknown" (files of other content), "synthetic" or "normal"
  Examples train, test;
  std::string directory;  ///< empty for generated data
  std::vector<SourceFile>
      files;          ///< train images, train labels, test images, test labels; empty for generated data
  bool known = true;  ///< false only for files that are not the published Fashion-MNIST
};

/// Loads or generates what `data` names:
///   "auto"       the first of default_data_directories() that exists;
///   "synthetic"  u8 images, 60,000 (or `limit`) to train on and a sixth as many to test on, of learnable
///                classes;
///   "normal"     256 (or `limit`) f32 images N(0,1) with random labels, no test set;
///   else         a directory with the four files of Fashion-MNIST, each plain or gzip-compressed.
/// `limit` keeps the first so many training examples; 0 keeps all. The test set of files stays whole.
/// Errors: Exit::bad_data with the path and what is wrong; Exit::usage if `limit` exceeds the training files.
Dataset load_dataset(const std::string& data, std::uint64_t seed, std::size_t limit);

/// Where "auto" looks, in this order: ./data/fashion-mnist, then the directory of Debian's
/// dataset-fashion-mnist.
std::vector<std::string> default_data_directories();

/// The first of `candidates` that exists. Errors: Exit::bad_data lists them and says how to get the data.
std::string find_data_directory(const std::vector<std::string>& candidates);

}  // namespace dpx
