// Finding and loading the four files; the published data set and others.
#include "lib/data/dataset.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/data_files.hpp"

namespace dpx {
namespace {

namespace fs = std::filesystem;
using test::gzip, test::idx_images, test::idx_labels;

class DatasetTest : public ::testing::Test {
 protected:
  DatasetTest() { test::write_dataset(dir_, 30, 20); }
  Dataset load(std::size_t limit = 0) const { return load_dataset(dir_.path(), 0, limit); }
  std::string refusal(Exit code = Exit::bad_data, std::size_t limit = 0) const {
    return test::data_error_of([&] { load(limit); }, code);
  }
  std::string path(const std::string& name) const { return dir_ / name; }
  test::TempDir dir_;
};

TEST_F(DatasetTest, LoadsWellFormedFilesAsUnknownData) {
  const Dataset data = load();
  EXPECT_EQ(data.name, "unknown");
  EXPECT_FALSE(data.known);
  EXPECT_EQ(data.directory, dir_.path());
  ASSERT_EQ(data.files.size(), 4u);
  EXPECT_EQ(data.files[1].name, "train-labels-idx1-ubyte.gz");
  EXPECT_EQ(data.files[1].unpacked_bytes, 38u);
  EXPECT_EQ(data.files[1].crc32.size(), 10u);
  EXPECT_EQ(data.train.size(), 30u);
  EXPECT_EQ(data.test.size(), 20u);
  const Slice images = data.train.images(), labels = data.train.label_slice();
  EXPECT_EQ(images.count, 30u * 784);
  EXPECT_EQ(images.dtype, DType::u8);
  EXPECT_EQ(images.as<std::uint8_t>()[784 * 7 + 3], 10);
  EXPECT_EQ(labels.count, 30u);
  EXPECT_EQ(labels.as<std::uint8_t>()[13], 3);
}

TEST_F(DatasetTest, LimitKeepsTheFirstTrainingExamplesAndTheWholeTestSet) {
  const Dataset whole = load(), some = load(7);
  EXPECT_EQ(some.train.size(), 7u);
  EXPECT_EQ(some.train.images().count, 7u * 784);
  EXPECT_TRUE(
      std::equal(some.train.pixels_u8.begin(), some.train.pixels_u8.end(), whole.train.pixels_u8.begin()));
  EXPECT_EQ(some.test.size(), 20u);
  EXPECT_EQ(load(30).train.size(), 30u);
  EXPECT_TRUE(test::has(refusal(Exit::usage, 31), "limit 31 exceeds the 30 training examples", dir_.path()));
}

TEST_F(DatasetTest, AcceptsDottedAndUnpackedNames) {
  fs::rename(path("train-images-idx3-ubyte.gz"), path("train-images.idx3-ubyte.gz"));
  fs::rename(path("t10k-images-idx3-ubyte.gz"), path("t10k-images.idx3-ubyte"));
  dir_.write("t10k-labels-idx1-ubyte", idx_labels(test::cycling_labels(20)));
  fs::remove(path("t10k-labels-idx1-ubyte.gz"));
  EXPECT_EQ(load().test.size(), 20u);
}

TEST_F(DatasetTest, MissingFileListsNamesTriedAndWhatIsThere) {
  fs::remove(path("t10k-labels-idx1-ubyte.gz"));
  EXPECT_TRUE(test::has(refusal(), "no t10k-labels in " + dir_.path(), "t10k-labels-idx1-ubyte, ",
                        "t10k-labels.idx1-ubyte.gz", "the directory holds t10k-images-idx3-ubyte.gz, "));
}

TEST_F(DatasetTest, SwappedFiles) {
  fs::rename(path("train-images-idx3-ubyte.gz"), path("x"));
  fs::rename(path("train-labels-idx1-ubyte.gz"), path("train-images-idx3-ubyte.gz"));
  fs::rename(path("x"), path("train-labels-idx1-ubyte.gz"));
  EXPECT_TRUE(
      test::has(refusal(), path("train-labels-idx1-ubyte.gz"), "expected labels (magic 2049), found images"));
}

TEST_F(DatasetTest, CountsThatDiffer) {
  dir_.write("train-labels-idx1-ubyte.gz", gzip(idx_labels(test::cycling_labels(29))));
  EXPECT_TRUE(test::has(refusal(), path("train-images-idx3-ubyte.gz") + " holds 30 images, but ",
                        path("train-labels-idx1-ubyte.gz") + " holds 29 labels"));
}

TEST_F(DatasetTest, FaultInTheTestHalfIsReportedToo) {
  const std::string packed = gzip(idx_images(20));
  dir_.write("t10k-images-idx3-ubyte.gz", packed.substr(0, packed.size() / 2));
  EXPECT_TRUE(
      test::has(refusal(), path("t10k-images-idx3-ubyte.gz"), "truncated gzip: 15696 bytes expected"));
}

TEST_F(DatasetTest, DirectoryInPlaceOfAFile) {
  fs::remove(path("train-images-idx3-ubyte.gz"));
  fs::create_directory(path("train-images-idx3-ubyte.gz"));
  EXPECT_EQ(refusal(), path("train-images-idx3-ubyte.gz") + ": Is a directory");
}

TEST_F(DatasetTest, PathsThatAreNoReadableDirectory) {
  const auto refused = [](const std::string& data) {
    return test::data_error_of([&] { load_dataset(data, 0, 0); });
  };
  EXPECT_EQ(refused(path("none")), "data directory '" + path("none") + "': No such file or directory");
  const std::string file = path("train-images-idx3-ubyte.gz");
  EXPECT_EQ(refused(file), "data directory '" + file + "': Not a directory");
  EXPECT_EQ(refused(""), "data directory '': No such file or directory");
  const test::TempDir empty;
  EXPECT_TRUE(test::has(refused(empty.path()), "the directory is empty"));
}

TEST_F(DatasetTest, PermissionDeniedIsNotCalledMissing) {
  const test::OrdinaryUser user;  // the temporary directory belongs to another user then, or is closed here
  std::error_code ignored;
  fs::permissions(dir_.path(), fs::perms::none, ignored);
  const std::string message = refusal();
  fs::permissions(dir_.path(), fs::perms::owner_all, ignored);
  EXPECT_TRUE(test::has(message, path("train-images-idx3-ubyte"), "Permission denied"));
}

TEST(DataDirectory, TakesTheFirstThatExistsOrListsAll) {
  const test::TempDir a, b;
  const std::string none = a / "none";
  EXPECT_EQ(find_data_directory({none, b.path(), a.path()}), b.path());
  EXPECT_TRUE(test::has(test::data_error_of([&] {
                          find_data_directory({none, none + "2"});
                        }),
                        none + ", " + none + "2", "apt-get install dataset-fashion-mnist",
                        "scripts/fetch_data.sh"));
  EXPECT_EQ(default_data_directories().front(), "data/fashion-mnist");
}

TEST(FashionMnist, IsRecognisedByItsChecksums) {
  const std::string directory = default_data_directories().back();
  if (!fs::exists(directory))
    GTEST_SKIP() << directory << " is missing: apt-get install dataset-fashion-mnist";
  const Dataset data = load_dataset(directory, 0, 100);
  EXPECT_EQ(data.name, "fashion-mnist");
  EXPECT_TRUE(data.known);
  EXPECT_EQ(data.train.size(), 100u);
  EXPECT_EQ(data.test.size(), 10'000u);
  EXPECT_EQ(data.files[0].crc32, "0xb4f29f28");
  EXPECT_EQ(data.train.labels[0], 9);  // an ankle boot
}

}  // namespace
}  // namespace dpx
