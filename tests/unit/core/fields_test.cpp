// One declaration for flag, JSON key, default and check; field cases F041, F086 and F090.
#include "lib/core/fields.hpp"

#include <gtest/gtest.h>

#include "lib/core/units.hpp"
#include "tests/support/expect_error.hpp"

namespace dpx {
namespace {

using test::error_of;
using test::has;

class FieldsTest : public testing::Test {
 protected:
  FieldsTest() {
    fields.integer("batch", &batch, {1, 1 << 20}, "examples per step").alias("n").group("training");
    fields.integer("seed", &seed, {0, INT64_MAX}, "seed");
    fields.real("lr", &lr, {0, 1e6, true}, "learning rate");
    fields.bytes("bytes", &bytes, {1, 1ll << 40}, "size");
    fields.integers("shards", &shards, {1, 4096}, "sizes");
    fields.choice("algo", &algo, {"star", "ring", "tree"}, "algorithm");
    fields.choices("algos", &algos, {"star", "ring", "tree"}, "algorithms");
    fields.text(
        "link", &link, [](const std::string& t) { parse_seconds(t); }, "a time", "link");
    fields.flag("force", &force, "overwrite").run_only();
    fields.on_off("check", &check, "compare");
    fields.text_list("note", &notes, "kept");
    fields.text("config", &config, "file").command_line_only();
  }
  std::string refused(const std::string& name, const std::string& text) {
    return error_of([&] { fields.set_text(name, text); });
  }
  std::string refused_json(const std::string& name, const std::string& json) {
    return error_of([&] { fields.set_json(name, Json::parse(json), "c.json:1: \"" + name + "\""); });
  }
  void set_json(const std::string& name, const std::string& json) {
    fields.set_json(name, Json::parse(json), name);
  }

  Fields fields;
  int batch = 256;
  std::int64_t seed = 0, bytes = 1024;
  double lr = 0.2;
  std::vector<std::int64_t> shards{1, 2};
  std::string algo = "star", link = "5us", config;
  std::vector<std::string> algos{"star"}, notes;
  bool force = false, check = true;
};

TEST_F(FieldsTest, TakeTextsOfEveryKind) {
  fields.set_text("batch", "64");
  fields.set_text("lr", "1e-3");
  fields.set_text("bytes", "64m");
  fields.set_text("shards", "32:128:x2");
  fields.set_text("algo", "ring");
  fields.set_text("algos", "ring,tree");
  fields.set_text("link", "7ms");
  fields.set_text("force", "true");
  fields.set_text("check", "off");
  fields.set_text("note", {"a=1", "b=2"}, "--note");
  EXPECT_EQ(batch, 64);
  EXPECT_EQ(lr, 1e-3);
  EXPECT_EQ(bytes, 67'108'864);
  EXPECT_EQ(shards, (std::vector<std::int64_t>{32, 64, 128}));
  EXPECT_EQ(algo, "ring");
  EXPECT_EQ(algos, (std::vector<std::string>{"ring", "tree"}));
  EXPECT_EQ(link, "7ms");
  EXPECT_TRUE(force);
  EXPECT_FALSE(check);
  EXPECT_EQ(notes, (std::vector<std::string>{"a=1", "b=2"}));
  EXPECT_TRUE(fields.find("batch")->was_set());
  EXPECT_FALSE(fields.find("seed")->was_set());
}

TEST_F(FieldsTest, RefuseTextsWithNameValueAndRange) {
  EXPECT_EQ(refused("batch", "-256"), "--batch: \"-256\" is out of range; allowed: 1..1048576");
  EXPECT_EQ(refused("batch", "0"), "--batch: \"0\" is out of range; allowed: 1..1048576");
  EXPECT_TRUE(has(refused("batch", "4294967552"), "out of range", "1..1048576"));
  EXPECT_TRUE(has(refused("batch", "99999999999999999999"), "out of range"));
  EXPECT_TRUE(has(refused("seed", "9223372036854775808"), "out of range", "0..9223372036854775807"));
  for (const char* text : {"", "2.0", "two", "2 ", " 2", "+2", "0x2", "2K", "1e2"})
    EXPECT_TRUE(has(refused("batch", text), std::string("--batch: \"") + text + "\"", "not a whole number"))
        << text;
  EXPECT_EQ(refused("lr", "-0.1"), "--lr: \"-0.1\" is out of range; allowed: above 0, at most 1000000");
  EXPECT_TRUE(has(refused("lr", "0"), "out of range"));
  EXPECT_TRUE(has(refused("lr", "1e400"), "out of range"));
  EXPECT_TRUE(has(refused("lr", "nan"), "not a finite number"));
  EXPECT_TRUE(has(refused("lr", "inf"), "not a finite number"));
  EXPECT_TRUE(has(refused("lr", "0,2"), "not a number"));
  EXPECT_TRUE(has(refused("bytes", "-1"), "--bytes: size \"-1\"", "sign", "allowed: 1..1099511627776 bytes"));
  EXPECT_TRUE(has(refused("bytes", "2T"), "out of range"));
  EXPECT_TRUE(has(refused("shards", "1,5000"), "5000 is out of range", "1..4096"));
  EXPECT_EQ(refused("algo", "rings"),
            "--algo: \"rings\" is not known; did you mean \"ring\"?; allowed: star, ring, tree");
  EXPECT_TRUE(has(refused("algo", "Ring"), "did you mean \"ring\""));
  EXPECT_TRUE(has(refused("algos", "ring,ring"), "names \"ring\" twice"));
  EXPECT_TRUE(has(refused("algos", "ring,"), "is not known"));
  EXPECT_TRUE(has(refused("link", "7"), "--link: time \"7\": has no unit", "allowed: a time"));
  EXPECT_TRUE(has(refused("check", "maybe"), "neither on nor off"));
  EXPECT_EQ(batch, 256);
  EXPECT_EQ(link, "5us");
}

TEST_F(FieldsTest, RefuseAValueGivenTwiceButListsRepeat) {
  EXPECT_EQ(error_of([&] {
              fields.set_text("batch", {"2", "4"}, "--batch");
            }),
            "--batch: given 2 times (2, 4); once is allowed");
}

TEST_F(FieldsTest, RefuseUnknownNamesAndOfferTheNearest) {
  for (const char* name : {"Batch", "batchsize", "bach"})
    EXPECT_TRUE(has(refused_json(name, "64"), name, "did you mean \"batch\"?", "Known: batch, seed")) << name;
  EXPECT_TRUE(has(refused("zzzzzz", "1"), "unknown name; known: batch"));
}

TEST_F(FieldsTest, TakeJson) {
  set_json("batch", "64");
  set_json("lr", "1");
  set_json("bytes", "\"256MB\"");
  set_json("shards", "[3, \"1K\"]");
  set_json("algos", "[\"tree\", \"ring\"]");
  set_json("check", "false");
  set_json("note", "[\"a=b\"]");
  EXPECT_EQ(batch, 64);
  EXPECT_EQ(lr, 1.0);
  EXPECT_EQ(bytes, 256'000'000);
  EXPECT_EQ(shards, (std::vector<std::int64_t>{3, 1024}));
  EXPECT_EQ(algos, (std::vector<std::string>{"tree", "ring"}));
  EXPECT_FALSE(check);
  EXPECT_EQ(notes, (std::vector<std::string>{"a=b"}));
}

TEST_F(FieldsTest, RefuseJsonOfAnotherTypeOrRange) {
  EXPECT_EQ(refused_json("batch", "4294967552"),
            "c.json:1: \"batch\": 4294967552 is out of range; allowed: 1..1048576");
  for (const char* json : {"2.0", "\"2\"", "true", "null", "[2]", "{}", "2e0"})
    EXPECT_TRUE(has(refused_json("batch", json), "is not a whole number", "1..1048576")) << json;
  for (const char* json : {"9223372036854775808", "18446744073709551615", "18446744073709551616", "-1"})
    EXPECT_TRUE(has(refused_json("seed", json), "is out of range", "0..9223372036854775807")) << json;
  EXPECT_TRUE(has(refused_json("lr", "\"0.2\""), "is not a number"));
  EXPECT_TRUE(has(refused_json("lr", "true"), "is not a number"));
  EXPECT_TRUE(has(refused_json("bytes", "1.5"), "is not a whole number"));
  EXPECT_TRUE(has(refused_json("bytes", "0"), "is out of range"));
  EXPECT_TRUE(has(refused_json("shards", "[]"), "is empty"));
  EXPECT_TRUE(has(refused_json("algo", "5"), "is not a text"));
  EXPECT_TRUE(has(refused_json("check", "1"), "neither on nor off"));
  EXPECT_TRUE(has(refused_json("note", "\"a=b\""), "is not a list of texts"));
  EXPECT_TRUE(has(refused_json("config", "\"x\""), "command line only"));
  EXPECT_LT(refused_json("batch", "\"" + std::string(5000, 'x') + "\"").size(), 200u);
}

TEST_F(FieldsTest, ResolveToAConfigThatGivesTheSameValues) {
  const Json before = fields.resolved();
  EXPECT_FALSE(before.contains("force"));
  EXPECT_FALSE(before.contains("config"));
  EXPECT_EQ(before.begin().key(), "batch");
  fields.set_text("batch", "7");
  fields.set_text("shards", "1,9");
  fields.set_text("lr", "0.1");
  for (const auto& [name, value] : before.items()) fields.set_json(name, value, name);
  EXPECT_EQ(fields.resolved(), before);
}

TEST_F(FieldsTest, DescribeThemselves) {
  EXPECT_EQ(fields.find("batch")->spellings(), "--batch, -n");
  EXPECT_EQ(fields.find("batch")->help_line(), "examples per step (1..1048576; default 256)");
  EXPECT_EQ(fields.find("algos")->help_line(), "algorithms (one or more of star, ring, tree; default star)");
  EXPECT_EQ(fields.find("force")->help_line(), "overwrite");
  EXPECT_EQ(fields.find("check")->help_line(), "compare (on, off; default on)");
  EXPECT_TRUE(has(error_of([&] { fields.flag("batch", &force, ""); }, Exit::internal), "declared twice"));
}

TEST_F(FieldsTest, OptionalOnesAreInTheConfigOnlyWhenGiven) {
  std::string topic;
  double rate = 0;
  fields.choice("topic", &topic, {"ring", "tree"}, "question").positional().optional();
  fields.real("rate", &rate, {0, 1}, "speed").optional();
  EXPECT_FALSE(fields.resolved().contains("rate"));
  EXPECT_EQ(fields.find("rate")->help_line(), "speed (0..1)");
  EXPECT_EQ(fields.find("topic")->spellings(), "TOPIC, --topic");
  fields.set_text("rate", "0");
  EXPECT_EQ(fields.resolved()["rate"], 0.0) << "given, be it the value it had";
  EXPECT_FALSE(fields.resolved().contains("topic"));
}

}  // namespace
}  // namespace dpx
