// Results are checked for before the run and never lost; field cases F095, F096 and F097.
#include "lib/record/output.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/data_files.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/subprocess.hpp"

namespace dpx {
namespace {

using test::error_of;
using test::has;

class OutputTest : public testing::Test {
 protected:
  std::string refused(const std::string& out, Exit code) {
    return error_of([&] { OutputTarget(out, "toy", false); }, code);
  }
  test::TempDir dir;
};

// Runs in a directory of its own, for what is relative to it.
class WorkingDirectory {
 public:
  explicit WorkingDirectory(const std::string& path) : old_(std::filesystem::current_path()) {
    std::filesystem::current_path(path);
  }
  ~WorkingDirectory() { std::filesystem::current_path(old_); }

 private:
  std::filesystem::path old_;
};

TEST_F(OutputTest, WritesAFileAndNothingElse) {
  const OutputTarget target(dir / "r.json", "toy", false);
  EXPECT_TRUE(test::list_directory(dir.path()).empty()) << "the check leaves nothing behind";
  EXPECT_EQ(target.write("text"), dir / "r.json");
  EXPECT_EQ(test::read_file(dir / "r.json"), "text");
  EXPECT_EQ(test::list_directory(dir.path()), std::vector<std::string>{"r.json"});
}

TEST_F(OutputTest, KeepsAnExistingFileUnlessForced) {
  const std::string path = dir.write("r.json", "old");
  EXPECT_TRUE(has(refused(path, Exit::usage), "--out " + path, "exists; --force overwrites"));
  EXPECT_EQ(test::read_file(path), "old");
  OutputTarget(path, "toy", true).write("new");
  EXPECT_EQ(test::read_file(path), "new");
}

TEST_F(OutputTest, KeepsAFileThatAppearsDuringTheRun) {
  const OutputTarget target(dir / "r.json", "toy", false);
  dir.write("r.json", "someone else's");
  const std::string message = error_of([&] { target.write("mine"); }, Exit::cannot_write);
  EXPECT_TRUE(has(message, "appeared during the run", "the record is kept in "));
  EXPECT_EQ(test::read_file(dir / "r.json"), "someone else's");
  const std::string kept = message.substr(message.find("kept in ") + 8);
  EXPECT_EQ(test::read_file(kept), "mine");
  unlink(kept.c_str());
}

TEST_F(OutputTest, FollowsALink) {
  const std::string path = dir.write("r.json", "old"), link = dir / "link.json";
  ASSERT_EQ(symlink(path.c_str(), link.c_str()), 0);
  OutputTarget(link, "toy", true).write("new");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(test::read_file(path), "new");
}

TEST_F(OutputTest, RefusesPlacesThatCannotBeWrittenBeforeTheRun) {
  EXPECT_TRUE(
      has(refused(dir / "no/such/r.json", Exit::cannot_write), dir / "no/such/r.json", "no directory"));
  EXPECT_TRUE(has(refused(dir.path(), Exit::cannot_write), dir.path(), "Is a directory"));
  EXPECT_TRUE(has(refused("/proc/r.json", Exit::cannot_write), "cannot write /proc/r.json"));
  EXPECT_TRUE(has(refused(dir.write("file", "") + "/r.json", Exit::cannot_write), "Not a directory"));
}

TEST_F(OutputTest, RefusesADirectoryWithoutPermission) {
  chmod(dir.path().c_str(), 0555);
  {
    const test::OrdinaryUser user;
    EXPECT_TRUE(has(refused(dir / "r.json", Exit::cannot_write), "Permission denied"));
  }
  chmod(dir.path().c_str(), 0700);
}

TEST_F(OutputTest, KeepsTheRecordWhenTheTargetIsFull) {
  const OutputTarget target("/dev/full", "toy", false);
  const std::string message = error_of([&] { target.write("text"); }, Exit::cannot_write);
  EXPECT_TRUE(has(message, "cannot write /dev/full: No space left on device", "the record is kept in "));
  const std::string kept = message.substr(message.find("kept in ") + 8);
  EXPECT_EQ(test::read_file(kept), "text");
  unlink(kept.c_str());
}

TEST_F(OutputTest, DoesNotWaitForAPipeWithoutReader) {
  ASSERT_EQ(mkfifo((dir / "pipe").c_str(), 0600), 0);
  const std::string message =
      error_of([&] { OutputTarget(dir / "pipe", "toy", false).write("text"); }, Exit::cannot_write);
  EXPECT_TRUE(has(message, "cannot write", "No such device or address"));
  unlink(message.substr(message.find("kept in ") + 8).c_str());
}

TEST_F(OutputTest, GoesToResultsByDefaultUnderAFreshName) {
  const WorkingDirectory here(dir.path());
  std::vector<std::string> paths;
  for (int i = 0; i < 3; ++i) paths.push_back(OutputTarget("", "toy", false).write("text"));
  EXPECT_EQ(test::list_directory("results").size(), 3u);
  EXPECT_TRUE(paths[0].starts_with("results/toy-20") && paths[0].ends_with("Z.json")) << paths[0];
}

TEST_F(OutputTest, DefaultNamesThatCollideDuringTheRunAreBothKept) {
  const WorkingDirectory here(dir.path());
  const OutputTarget a("", "toy", false), b("", "toy", false);
  EXPECT_NE(a.write("a"), b.write("b"));
  EXPECT_EQ(test::list_directory("results").size(), 2u);
}

TEST_F(OutputTest, MayGoNowhere) {
  EXPECT_EQ(OutputTarget("none", "toy", false).write("text"), "");
  EXPECT_TRUE(OutputTarget("-", "toy", false).to_stdout());
}

}  // namespace
}  // namespace dpx
