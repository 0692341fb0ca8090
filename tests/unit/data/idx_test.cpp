// Well-formed IDX files, and files whose content is not what it should be.
#include "lib/data/idx.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include "tests/support/data_files.hpp"

namespace dpx {
namespace {

using test::has, test::cycling_labels, test::error_of, test::gzip, test::idx_images, test::idx_labels;

constexpr const char* kImages = "train-images-idx3-ubyte";
constexpr const char* kLabels = "train-labels-idx1-ubyte.gz";

class Idx : public ::testing::Test {
 protected:
  IdxFile read(const std::string& name, const std::string& content, IdxKind kind) {
    return read_idx(dir_.write(name, content), kind);
  }
  /// The message for `content`, which must start with the file's path.
  std::string refusal(const std::string& name, const std::string& content, IdxKind kind) {
    const auto path = dir_.write(name, content);
    const std::string message = test::data_error_of([&] { read_idx(path, kind); });
    EXPECT_TRUE(message.starts_with(path + ": ")) << message;
    return message;
  }
  test::TempDir dir_;
};

TEST_F(Idx, ReadsImagesAndLabelsPlainOrCompressedUnderEitherName) {
  const std::string images = idx_images(300), labels = idx_labels(cycling_labels(300));
  for (const char* name : {kImages, "train-images-idx3-ubyte.gz"})
    for (const std::string& content : {images, gzip(images)}) {
      const IdxFile file = read(name, content, IdxKind::images);
      EXPECT_EQ(file.count, 300u);
      EXPECT_EQ(std::string(file.values.begin(), file.values.end()), images.substr(16));
      EXPECT_EQ(file.unpacked_bytes, 16u + 300 * 784);
      EXPECT_EQ(file.crc32, ::crc32_z(0, reinterpret_cast<const Bytef*>(images.data()), images.size()));
    }
  for (const std::string& content : {labels, gzip(labels)})
    EXPECT_EQ(read(kLabels, content, IdxKind::labels).values, cycling_labels(300));
}

TEST_F(Idx, ReadsGzipOfSeveralMembers) {
  const std::string images = idx_images(50);
  const std::string content = gzip(images.substr(0, 10'000)) + gzip(images.substr(10'000));
  EXPECT_EQ(read(kImages, content, IdxKind::images).count, 50u);
}

TEST_F(Idx, EmptyOrShorterThanItsHeader) {
  const std::string labels = idx_labels(cycling_labels(20));
  EXPECT_TRUE(test::has(refusal(kLabels, "", IdxKind::labels), ": 0 bytes, header needs 8"));
  EXPECT_TRUE(test::has(refusal(kLabels, labels.substr(0, 7), IdxKind::labels), ": 7 bytes, header needs 8"));
  EXPECT_TRUE(test::has(refusal(kImages, "", IdxKind::images), ": 0 bytes, header needs 16"));
  EXPECT_TRUE(test::has(refusal(kLabels, gzip(""), IdxKind::labels), "unpacks to 0 bytes, header needs 8"));
}

TEST_F(Idx, WebPageOrTextInPlaceOfData) {
  std::string html = "<!DOCTYPE html><html><head><title>404 Not Found</title></head><body>";
  html.resize(727, 'x');
  EXPECT_TRUE(test::has(refusal(kLabels, html, IdxKind::labels),
                        "neither gzip nor IDX, looks like HTML: 727 bytes", "\"<!DOCTYP"));
  EXPECT_TRUE(test::has(refusal(kImages, "\r\n " + html, IdxKind::images), "looks like HTML: 730 bytes"));
  EXPECT_TRUE(test::has(refusal(kImages, "version https://git-lfs.github.com/spec/v1\n", IdxKind::images),
                        "neither gzip nor IDX, looks like text", "\"version https://\""));
  EXPECT_TRUE(
      test::has(refusal(kImages, gzip(html), IdxKind::images), "unpacks to something that is not IDX"));
}

TEST_F(Idx, ImagesAndLabelsConfused) {
  EXPECT_TRUE(test::has(refusal(kImages, gzip(idx_labels(cycling_labels(20))), IdxKind::images),
                        "expected images (magic 2051), found labels (2049)"));
  EXPECT_TRUE(test::has(refusal(kLabels, idx_images(2), IdxKind::labels),
                        "expected labels (magic 2049), found images (2051)"));
}

TEST_F(Idx, AnotherMagicNumber) {
  std::string png = "\x89PNG\r\n\x1a\n";
  png += std::string(20, '\0');
  EXPECT_TRUE(test::has(refusal(kImages, png, IdxKind::images),
                        "expected images (magic 2051), found magic 2303741511",
                        "28 bytes that start with 89 50 4e 47 0d 0a 1a 0a"));
}

TEST_F(Idx, ExtentsBeyondTheFile) {
  std::string images = idx_images(3);
  EXPECT_TRUE(test::has(refusal(kImages, images.substr(0, 2000), IdxKind::images),
                        "header announces 2368 bytes, file holds 2000"));
  images.replace(4, 4, "\xff\xff\xff\xff");  // 3.4 TB: refused without taking memory for it
  EXPECT_TRUE(
      test::has(refusal(kImages, images, IdxKind::images), "announces 3367254359296 bytes, file holds 2368"));
  EXPECT_TRUE(test::has(refusal(kImages, gzip(images), IdxKind::images),
                        "announces 3367254359296 bytes, file unpacks to 2368"));
}

TEST_F(Idx, TrailingBytes) {
  const std::string labels = idx_labels(cycling_labels(20));
  EXPECT_TRUE(test::has(refusal(kLabels, labels + "abc", IdxKind::labels),
                        "3 trailing bytes: header announces 28 bytes, file holds 31"));
  EXPECT_TRUE(test::has(refusal(kLabels, gzip(labels + "abc"), IdxKind::labels),
                        "3 trailing bytes: header announces 28 bytes, file unpacks to 31"));
  EXPECT_TRUE(test::has(refusal(kLabels, gzip(labels) + "abcdefgh", IdxKind::labels),
                        "other bytes follow the gzip stream of 28 bytes"));
}

TEST_F(Idx, GzipWhoseTrailerAgreesButWhoseContentDoesNot) {
  const std::string labels = idx_labels(cycling_labels(20));  // the trailer is that of the last member only
  EXPECT_TRUE(test::has(refusal(kLabels, gzip(labels) + gzip(labels), IdxKind::labels),
                        "28 trailing bytes: header announces 28 bytes, file unpacks to 56"));
}

TEST_F(Idx, ImagesOfAnotherSideOrNone) {
  EXPECT_TRUE(
      test::has(refusal(kImages, idx_images(2, 32), IdxKind::images), "images are 32x32, expected 28x28"));
  std::string huge = idx_images(1);
  huge.replace(8, 8, "\xff\xff\xff\xff\xff\xff\xff\xff");  // the product of the extents would overflow
  EXPECT_TRUE(test::has(refusal(kImages, huge, IdxKind::images), "images are 4294967295x4294967295"));
  EXPECT_TRUE(test::has(refusal(kImages, idx_images(0), IdxKind::images), "header counts 0 images"));
}

TEST_F(Idx, LabelsOutsideTheClasses) {
  for (int bad : {10, 255}) {
    auto labels = cycling_labels(20);
    labels[5] = std::uint8_t(bad);
    EXPECT_TRUE(test::has(refusal(kLabels, gzip(idx_labels(labels)), IdxKind::labels),
                          "label " + std::to_string(bad) + " at index 5, allowed 0..9"));
  }
}

}  // namespace
}  // namespace dpx
