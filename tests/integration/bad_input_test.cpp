// What users get wrong: one line on stderr that names the thing, the value found and the values allowed; the
// right code.
#include <gtest/gtest.h>

#include "tests/support/data_files.hpp"
#include "tests/support/run_record.hpp"

namespace dpx {
namespace {

using test::expect_refusal;

TEST(BadInput, Options) {
  expect_refusal({"train", "--bach", "64"}, 2, {"--bach", "--batch"});
  expect_refusal({"train", "--gpus", "0"}, 2, {"gpus", "0", "1"});
  expect_refusal({"train", "--gpus", "-1"}, 2, {"gpus", "-1"});
  expect_refusal({"train", "--batch=-256"}, 2, {"batch", "-256"});
  expect_refusal({"train", "--epochs", "-5"}, 2, {"epochs", "-5"});
  expect_refusal({"train", "--lr", "-0.1"}, 2, {"lr", "-0.1"});
  expect_refusal({"train", "--lr", "nan"}, 2, {"lr", "nan"});
  expect_refusal({"train", "--batch", "256M"}, 2, {"batch", "256M"});
  expect_refusal({"train", "--batch", "2", "--batch", "4"}, 2, {"batch"});
  expect_refusal({"train", "--batch", "3", "--gpus", "4"}, 2, {"3", "4"});
  expect_refusal({"train", "--algo", "rign"}, 2, {"rign", "ring"});
  expect_refusal({"train", "--algo", "halving-doubling", "--gpus", "6"}, 2, {"halving-doubling", "6"});
  expect_refusal({"train", "--bucket", "25 M"}, 2, {"25 M"});
  expect_refusal({"train", "--normalize", "mean"}, 2, {"mean", "global"});
  expect_refusal({"parity", "--bug", "typo"}, 2, {"typo", "sum-not-mean"});
  expect_refusal({"parity", "--mutations", "--gpus", "1"}, 2, {"--mutations", "2"});
  expect_refusal({"train", "--backend", "cuda"}, 3, {"cuda"});
}

void expect_config_refusal(const std::string& content, const std::vector<std::string>& parts) {
  const test::TempDir dir;
  expect_refusal({"train", "--config", dir.write("c.json", content)}, 2, parts);
}

TEST(BadInput, Configs) {
  expect_config_refusal(R"({"Batch": 64})", {"Batch", "batch"});
  expect_config_refusal(R"({"batchsize": 64})", {"batchsize", "batch"});
  expect_config_refusal("{\"gpus\": 2,\n \"gpus\": 4}", {"gpus", "2"});
  expect_config_refusal(R"({"batch": "64"})", {"batch", "64"});
  expect_config_refusal(R"({"batch": 64.5})", {"batch", "64.5"});
  expect_config_refusal(R"({"batch": 4294967552})", {"batch", "4294967552"});
  expect_config_refusal(R"({"batch": 9223372036854775808})", {"batch"});
  expect_config_refusal(R"({"lr": 1e400})", {"c.json"});
  expect_config_refusal(R"({"lr": NaN})", {"c.json:1:"});
  expect_config_refusal(R"({"batch": 64,})", {"c.json:1:"});
  expect_config_refusal("// note\n{}", {"c.json:1:"});
  expect_config_refusal("\xEF\xBB\xBF{}", {"byte order mark"});
  expect_config_refusal(std::string("\xFF\xFE{\0}\0", 6), {"UTF-16"});
  expect_config_refusal("", {"empty"});
  expect_config_refusal(" \n ", {"c.json"});
  expect_config_refusal("[]", {"object"});
  expect_config_refusal(R"({"command": "parity"})", {"parity", "train"});
  expect_refusal({"train", "--config", "no-such.json"}, 2, {"no-such.json", "No such file"});
}

TEST(BadInput, DataFiles) {
  expect_refusal({"train", "--data", "no/such/dir"}, 5, {"no/such/dir"});
  const auto broken = [](const std::string& name, const std::string& content,
                         const std::vector<std::string>& parts) {
    const test::TempDir dir;
    test::write_dataset(dir, 20, 20);
    dir.write(name, content);
    expect_refusal({"train", "--data", dir.path()}, 5, parts);
  };
  const std::string images = "train-images-idx3-ubyte.gz", labels = "train-labels-idx1-ubyte.gz";
  const std::string good = test::gzip(test::idx_images(20));
  broken(images, good.substr(0, good.size() / 2), {images, "truncated"});
  broken(images, "<!DOCTYPE html><html><body>Not found</body></html>", {images, "HTML"});
  broken(images, test::gzip(std::string("\0\0\x0D\x03\0\0\0\x14", 8) + std::string(12, '\0')),
         {images, "2051"});
  broken(images, test::gzip(test::idx_labels(test::cycling_labels(20))), {images, "2051", "2049"});
  broken(labels, test::gzip(test::idx_labels(test::cycling_labels(19))), {"20", "19"});
  broken(labels, test::gzip(test::idx_labels(std::vector<std::uint8_t>(20, 10))),
         {labels, "label 10", "index 0"});
  broken(labels, "", {labels, "0 bytes"});
  broken(images, test::gzip(test::idx_images(20).substr(0, 5000)), {images});
}

}  // namespace
}  // namespace dpx
