// Config files are read strictly; field cases F085, F086, F088, F089 and F090.
#include "lib/core/config_file.hpp"

#include <gtest/gtest.h>

#include "tests/support/expect_error.hpp"
#include "tests/support/subprocess.hpp"

namespace dpx {
namespace {

using test::error_of;
using test::has;

class ConfigFileTest : public testing::Test {
 protected:
  ConfigFile read(const std::string& content) { return read_config(dir.write("c.json", content), "train"); }
  std::string refused(const std::string& content) {
    return error_of([&] { read(content); });
  }
  test::TempDir dir;
};

TEST_F(ConfigFileTest, GivesValuesAndLines) {
  const ConfigFile c = read("{\n  \"command\": \"train\",\n  \"batch\": 64,\n\n  \"lr\": 0.5\n}\n");
  EXPECT_EQ(c.values.dump(), "{\"batch\":64,\"lr\":0.5}");
  EXPECT_EQ(c.where("batch"), dir / "c.json" + ":3: \"batch\"");
  EXPECT_EQ(c.where("lr"), dir / "c.json" + ":5: \"lr\"");
}

TEST_F(ConfigFileTest, HandsValuesOver) {
  int batch = 256;
  Fields fields;
  fields.integer("batch", &batch, {1, 512}, "");
  read("{\"batch\": 64}").apply(fields);
  EXPECT_EQ(batch, 64);
  EXPECT_TRUE(has(error_of([&] { read("{\n\n\"batch\": 4294967552}").apply(fields); }),
                  "c.json:3: \"batch\": 4294967552 is out of range; allowed: 1..512"));
  EXPECT_TRUE(has(error_of([&] { read("{\"Batch\": 64}").apply(fields); }),
                  "c.json:1: \"Batch\": unknown name", "did you mean \"batch\"?"));
  EXPECT_EQ(batch, 64);
}

TEST_F(ConfigFileTest, RefusesWhatIsNotStrictJsonInPlainWords) {
  const std::vector<std::pair<std::string, std::string>> refused_texts = {
      {"{\"k\": 2,\n \"k\": 4}", "c.json:2:2: key \"k\" appears twice"},
      {"{\"a\": {\"b\": 1, \"b\": 1}}", "key \"b\" appears twice"},
      {"// note\n{}", "c.json:1:1: comments are not allowed"},
      {"{} // note", "comments are not allowed"},
      {"{\"k\": 2, # two\n}", "comments are not allowed"},
      {"{\"k\": /* two */ 2}", "comments are not allowed"},
      {"{\"k\": [1,2,]}", "comma before the closing ]"},
      {"{\"k\": 2,\n}", "c.json:2:1: comma before the closing }"},
      {"{\"k\": NaN}", "NaN is not a JSON number"},
      {"{\"k\": -Infinity}", "-Inf is not a JSON number"},
      {"{\"lr\": 1e400}", "\"lr\": 1e400 is out of range"},
      {"{\"lr\": -1e999}", "\"lr\": -1e999 is out of range"},
      {"", "c.json: is empty"},
      {" \r\n\t", "holds blanks only"},
      {"[]", "top level is not an object"},
      {"3", "top level is not an object"},
      {"{\"k\": 2", "ends too early"},
      {"{\"k", "ends too early"},
      {"{\"k\": 2} {}", "c.json:1:10"},
      {"{'k': 2}", "c.json:1:2"},
      {"{\"k\": 0x10}", "c.json:1:8"},
      {"\xEF\xBB\xBF{}", "byte order mark (EF BB BF)"},
      {std::string("\xFF\xFE{\0}\0", 6), "UTF-16"},
      {std::string("{\0}\0", 4), "UTF-16"},
      {std::string("\0{\0}", 4), "UTF-16"},
      {"{\"k\": \"\xFF\"}", "ill-formed UTF-8"},
      {std::string(100'000, '['), "nested deeper than 32 levels"},
  };
  for (const auto& [content, why] : refused_texts)
    EXPECT_TRUE(has(refused(content), dir / "c.json", why)) << content.substr(0, 40);
}

TEST_F(ConfigFileTest, RefusesWhatCannotBeRead) {
  EXPECT_TRUE(has(error_of([&] { read_config(dir / "none.json", "train"); }), "none.json", "No such file"));
  EXPECT_TRUE(has(error_of([&] { read_config(dir.path(), "train"); }), dir.path(), "Is a directory"));
  EXPECT_TRUE(has(error_of([&] { read_config("/dev/zero", "train"); }), "/dev/zero", "is larger than"));
}

TEST_F(ConfigFileTest, IsForOneCommand) {
  EXPECT_TRUE(
      has(refused("{\"command\": \"parity\"}"), "\"parity\" is another command", "allowed: \"train\""));
  EXPECT_TRUE(has(refused("{\"command\": 5}"), "5 is another command"));
}

TEST_F(ConfigFileTest, MayBeARecord) {
  const std::string record =
      "{\"schema\": \"1.0\", \"command\": \"train\", \"config\": {\"batch\": 8}, \"cases\": []}";
  EXPECT_EQ(read(record).values.dump(), "{\"batch\":8}");
  EXPECT_TRUE(
      has(refused("{\"schema\": \"1.0\", \"command\": \"ring\", \"config\": {}}"), "another command"));
  EXPECT_TRUE(
      has(refused("{\"schema\": \"1.0\", \"command\": \"train\", \"config\": 5}"), "is not an object"));
}

}  // namespace
}  // namespace dpx
