#include "lib/data/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <future>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/data/idx.hpp"
#include "lib/data/synthetic.hpp"

namespace dpx {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPixels = 784;
constexpr std::size_t kSyntheticTrain = 60'000, kTrainPerTest = 6, kNormalTrain = 256;
constexpr std::uint64_t kFirstTestExample = std::uint64_t{1} << 32;  // beyond any training example
constexpr const char* kHowToGet = "apt-get install dataset-fashion-mnist, or scripts/fetch_data.sh";

/// One of the four files, and size and checksum of its published content.
struct Part {
  const char* stem;
  IdxKind kind;
  std::uint64_t bytes;
  std::uint32_t crc32;
};
constexpr std::array<Part, 4> kFashionMnist{{{"train-images", IdxKind::images, 47'040'016, 0xb4f29f28},
                                             {"train-labels", IdxKind::labels, 60'008, 0x741a4657},
                                             {"t10k-images", IdxKind::images, 7'840'016, 0x678fe0b1},
                                             {"t10k-labels", IdxKind::labels, 10'008, 0x80142c1f}}};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// Some unpackers write a dot where the published name has a dash.
std::vector<std::string> names_of(const Part& part) {
  std::vector<std::string> names;
  for (const char* separator : {"-", "."})
    for (const char* suffix : {"", ".gz"})
      names.push_back(fmt::format("{}{}idx{}-ubyte{}", part.stem, separator,
                                  part.kind == IdxKind::images ? 3 : 1, suffix));
  return names;
}

std::string contents_of(const fs::path& directory) {
  constexpr std::size_t kShown = 12;
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error))
    names.push_back(it->path().filename().string());
  if (error) return fmt::format("cannot be listed ({})", error.message());
  if (names.empty()) return "is empty";
  std::ranges::sort(names);
  const std::size_t more = names.size() > kShown ? names.size() - kShown : 0;
  names.resize(names.size() - more);
  return fmt::format("holds {}{}", joined(names), more ? fmt::format(" and {} more", more) : "");
}

fs::path find_part(const fs::path& directory, const Part& part) {
  const auto names = names_of(part);
  for (const std::string& name : names) {
    std::error_code error;
    const fs::file_type type = fs::symlink_status(directory / name, error).type();
    if (type == fs::file_type::none)
      throw Error(Exit::bad_data, fmt::format("{}: {}", (directory / name).string(), error.message()));
    if (type != fs::file_type::not_found) return directory / name;
  }
  throw Error(Exit::bad_data, fmt::format("no {} in {}: tried {}; the directory {}", part.stem,
                                          directory.string(), joined(names), contents_of(directory)));
}

void check_directory(const fs::path& directory) {
  std::error_code error;
  const fs::file_status status = fs::status(directory, error);
  if (status.type() == fs::file_type::not_found)
    error = std::make_error_code(std::errc::no_such_file_or_directory);
  if (!error && !fs::is_directory(status)) error = std::make_error_code(std::errc::not_a_directory);
  if (error)
    throw Error(Exit::bad_data, fmt::format("data directory '{}': {}", directory.string(), error.message()));
}

struct Loaded {
  Examples examples;
  std::array<SourceFile, 2> files;
  bool known;
};

SourceFile describe(const IdxFile& file) {
  return {fs::path(file.path).filename().string(), file.unpacked_bytes, fmt::format("{:#010x}", file.crc32)};
}

/// Reads images and labels of one half of the data set.
Loaded load_half(const std::array<fs::path, 2>& paths, const Part& images_part, const Part& labels_part) {
  IdxFile labels = read_idx(paths[1], IdxKind::labels);  // the small file first: its faults show at once
  IdxFile images = read_idx(paths[0], IdxKind::images);
  if (images.count != labels.count)
    throw Error(Exit::bad_data, fmt::format("{} holds {} images, but {} holds {} labels", images.path,
                                            images.count, labels.path, labels.count));
  const auto matches = [](const IdxFile& file, const Part& part) {
    return file.unpacked_bytes == part.bytes && file.crc32 == part.crc32;
  };
  return {{std::move(images.values), {}, std::move(labels.values)},
          {describe(images), describe(labels)},
          matches(images, images_part) && matches(labels, labels_part)};
}

void keep_first(Examples& examples, std::size_t limit, const std::string& directory) {
  if (limit == 0) return;
  if (limit > examples.size())
    throw Error(Exit::usage, fmt::format("limit {} exceeds the {} training examples in {}", limit,
                                         examples.size(), directory));
  examples.labels.resize(limit);
  examples.pixels_u8.resize(limit * kPixels);
}

Dataset load_files(const std::string& directory, std::size_t limit) {
  check_directory(directory);
  const auto& parts = kFashionMnist;
  std::array<fs::path, 4> paths;
  for (std::size_t i = 0; i < parts.size(); ++i) paths[i] = find_part(directory, parts[i]);
  auto test_half = std::async(std::launch::async, [&] {
    return load_half({paths[2], paths[3]}, parts[2], parts[3]);
  });
  Loaded train = load_half({paths[0], paths[1]}, parts[0], parts[1]);
  Loaded test = test_half.get();
  keep_first(train.examples, limit, directory);
  const bool known = train.known && test.known;
  return {known ? "fashion-mnist" : "unknown",
          std::move(train.examples),
          std::move(test.examples),
          directory,
          {train.files[0], train.files[1], test.files[0], test.files[1]},
          known};
}

Dataset generated(std::string name, Examples train, Examples test) {
  return {std::move(name), std::move(train), std::move(test), "", {}, true};
}

}  // namespace

Slice Examples::images() const {
  if (!pixels_f32.empty()) return {const_cast<float*>(pixels_f32.data()), pixels_f32.size(), DType::f32};
  return {const_cast<std::uint8_t*>(pixels_u8.data()), pixels_u8.size(), DType::u8};
}

Slice Examples::label_slice() const {
  return {const_cast<std::uint8_t*>(labels.data()), labels.size(), DType::u8};
}

std::vector<std::string> default_data_directories() {
  return {"data/fashion-mnist", "/usr/share/datasets/fashion-mnist"};
}

std::string find_data_directory(const std::vector<std::string>& candidates) {
  for (const std::string& directory : candidates) {
    std::error_code
        ignored;  // one that exists but cannot be used is reported by load_dataset, not passed over
    if (fs::symlink_status(directory, ignored).type() != fs::file_type::not_found) return directory;
  }
  throw Error(Exit::bad_data,
              fmt::format("no Fashion-MNIST found in {}; to get it: {}; or use --data synthetic",
                          joined(candidates), kHowToGet));
}

Dataset load_dataset(const std::string& data, std::uint64_t seed, std::size_t limit) {
  if (data == "synthetic") {
    const std::size_t train = limit ? limit : kSyntheticTrain;
    const std::size_t test = (train + kTrainPerTest - 1) / kTrainPerTest;
    return generated(data, synthetic_examples(train, seed),
                     synthetic_examples(test, seed, kFirstTestExample));
  }
  if (data == "normal") return generated(data, normal_examples(limit ? limit : kNormalTrain, seed), {});
  return load_files(data == "auto" ? find_data_directory(default_data_directories()) : data, limit);
}

}  // namespace dpx
