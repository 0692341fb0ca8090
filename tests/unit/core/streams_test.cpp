// Progress text and the stream that remembers why a write failed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>

#include "lib/core/fd_stream.hpp"
#include "lib/core/progress.hpp"
#include "tests/support/subprocess.hpp"

namespace dpx {
namespace {

TEST(ProgressText, ShowsPartRateAndRemainingTime) {
  EXPECT_EQ(progress_text("epoch 2/5", 50, 200, 5.0),
            "epoch 2/5 [######..................]  25% 50/200, 10/s, 15.0 s left");
  EXPECT_EQ(progress_text("x", 0, 4, 0), "x [........................]   0% 0/4");
  EXPECT_EQ(progress_text("x", 4, 4, 2), "x [########################] 100% 4/4, 2/s, 0 s left");
  EXPECT_EQ(progress_text("x", 0, 0, 1), "x [........................]   0% 0/0");
}

TEST(ProgressBar, IsSilentWhereStderrIsNoTerminal) {
  testing::internal::CaptureStderr();
  Progress bar("auto");
  bar.start("x", 10);
  bar.tick(5);
  bar.finish();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(FdStreamTest, WritesEverything) {
  const test::TempDir dir;
  const std::string path = dir / "out";
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT, 0644);
  std::string expected;
  {
    FdStream out(fd);
    for (int i = 0; i < 5000; ++i) {
      out << "line " << i << '\n';
      expected += "line " + std::to_string(i) + "\n";
    }
    EXPECT_EQ(out.finish(), 0);
  }
  close(fd);
  EXPECT_EQ(test::read_file(path), expected);
}

TEST(FdStreamTest, RemembersWhyAWriteFailed) {
  const int fd = open("/dev/full", O_WRONLY);
  FdStream out(fd);
  out << std::string(20'000, 'x');
  out << "more";
  EXPECT_EQ(out.finish(), ENOSPC);
  close(fd);
}

}  // namespace
}  // namespace dpx
