// Damaged gzip, and paths that are no readable file.
#include "lib/data/packed_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "lib/data/idx.hpp"
#include "tests/support/data_files.hpp"

namespace dpx {
namespace {

using test::has, test::error_of, test::gzip, test::idx_images;
namespace fs = std::filesystem;

TEST(PackedFile, ReadsInPiecesOfAnySize) {
  const test::TempDir dir;
  const std::string content = idx_images(400);
  for (const auto& path : {dir.write("plain", content), dir.write("packed", gzip(content))})
    for (std::size_t piece : {1'000u, 65'536u, 1'000'000u}) {
      PackedFile file(path);
      std::string all, buffer(piece, '\0');
      while (const std::size_t got = file.read(buffer.data(), piece)) all.append(buffer, 0, got);
      EXPECT_TRUE(all == content) << path << " in pieces of " << piece;
      EXPECT_FALSE(file.truncated());
      EXPECT_TRUE(file.may_unpack_to(content.size()));
      EXPECT_FALSE(file.may_unpack_to(content.size() + 1));
    }
}

TEST(PackedFile, TruncatedGzipAtEveryPlace) {
  const test::TempDir dir;
  const std::string packed = gzip(idx_images(3));
  for (std::size_t keep = 2; keep < packed.size(); ++keep) {
    const auto path = dir.write("images.gz", packed.substr(0, keep));
    const std::string message = test::data_error_of([&] { read_idx(path, IdxKind::images); });
    ASSERT_TRUE(test::has(message, path + ": truncated gzip: ")) << keep;
    ASSERT_TRUE(test::has(message, "2368 bytes expected, ") || test::has(message, "header needs 16"))
        << message;
  }
}

TEST(PackedFile, TruncatedGzipSaysWhatIsMissing) {
  const test::TempDir dir;
  const std::string content = idx_images(500), packed = gzip(content);
  const auto path = dir.write("images.gz", packed.substr(0, packed.size() / 2));
  PackedFile file(path);
  std::string buffer(content.size(), '\0');
  const std::size_t got = file.read(buffer.data(), buffer.size());
  EXPECT_TRUE(file.truncated());
  EXPECT_TRUE(test::has(test::data_error_of([&] { read_idx(path, IdxKind::images); }),
                        "truncated gzip: 392016 bytes expected, " + std::to_string(got) + " got"));
}

TEST(PackedFile, CorruptGzipIsNeverReadAsData) {
  const test::TempDir dir;
  const std::string content = idx_images(3), packed = gzip(content);
  for (std::size_t at = 10; at < packed.size();
       ++at) {  // after the header, whose time and name fields are free
    std::string bad = packed;
    bad[at] = char(bad[at] ^ 0x55);
    const auto path = dir.write("images.gz", bad);
    const std::string message = test::data_error_of([&] { read_idx(path, IdxKind::images); });
    ASSERT_TRUE(message.starts_with(path)) << at << message;
  }
  std::string bad_check = packed;
  bad_check[packed.size() - 8] ^= 1;
  EXPECT_TRUE(
      test::has(test::data_error_of([&] { read_idx(dir.write("images.gz", bad_check), IdxKind::images); }),
                "corrupt gzip (incorrect data check) after 2368 unpacked bytes"));
}

TEST(PackedFile, MissingPathDirectoryOrPipe) {
  const test::TempDir dir;
  const auto missing = dir / "nowhere/labels.gz";
  EXPECT_EQ(test::data_error_of([&] { PackedFile file(missing); }), missing + ": No such file or directory");
  EXPECT_EQ(test::data_error_of([&] { PackedFile file(dir.path()); }), dir.path() + ": Is a directory");
  const auto file = dir.write("file", "x") + "/below";
  EXPECT_EQ(test::data_error_of([&] { PackedFile f(file); }), file + ": Not a directory");
  const auto pipe = dir / "pipe";  // opening it would wait for a writer
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(test::data_error_of([&] { PackedFile f(pipe); }), pipe + ": not a regular file");
}

TEST(PackedFile, PermissionDenied) {
  const test::TempDir dir;
  const auto path = dir.write("labels", "x");
  fs::permissions(dir.path(), fs::perms::all);
  fs::permissions(path, fs::perms::none);
  const test::OrdinaryUser user;
  EXPECT_EQ(test::data_error_of([&] { PackedFile file(path); }), path + ": Permission denied");
}

}  // namespace
}  // namespace dpx
