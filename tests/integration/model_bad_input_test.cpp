// dpx model refuses in one line, with exit code 2, naming the thing and what is allowed.
#include <gtest/gtest.h>

#include "tests/support/model_answer.hpp"
#include "tests/support/run_record.hpp"
#include "tests/support/temp_dir.hpp"

namespace dpx {
namespace {

using namespace test;

struct Bad {
  const char* line;
  std::vector<std::string> parts;
};

void refused(const std::string& line, const std::vector<std::string>& parts) {
  SCOPED_TRACE(line);
  expect_refusal(words_of(line), 2, parts);
  EXPECT_EQ(run_dpx(words_of(line)).out, "") << "nothing is printed before a refusal";
}

TEST(ModelBadInput, IsRefusedInOneLine) {
  const Bad all[] = {
      {"model", {"needs a topic", "allreduce", "shards"}},
      {"model scalng", {"\"scalng\"", "did you mean \"scaling\"?"}},
      {"model xyzzy", {"\"xyzzy\"", "allreduce, crossover"}},
      {"model train", {"\"train\"", "allreduce, crossover"}},
      {"model crossover memory", {"unexpected \"memory\""}},
      {"model crossover --topic memory", {"topic", "given 2 times"}},
      {"model memory --params 1e9 --beta 5GB/s", {"--beta", "model memory", "--params, --card"}},
      {"model shards --shards 1,2 --gpus 2", {"--gpus", "model shards", "takes --shards"}},
      {"model crossover --gpus 0 --alpha 5us --beta 1GB/s", {"--gpus", "0", "1.."}},
      {"model crossover --gpus -2 --alpha 5us --beta 1GB/s", {"--gpus", "-2"}},
      {"model crossover --gpus 2 --alpha -5us --beta 1GB/s", {"--alpha", "-5us"}},
      {"model crossover --gpus 2 --alpha 5 --beta 1GB/s", {"--alpha", "no unit"}},
      {"model crossover --gpus 2 --alpha 5us --beta 0GB/s", {"--beta", "zero"}},
      {"model crossover --gpus 2 --alpha 5us --beta -1GB/s", {"--beta", "-1GB/s"}},
      {"model crossover --gpus 2 --alpha nan --beta 1GB/s", {"--alpha", "nan"}},
      {"model crossover --gpus 2 --alpha 5us", {"needs --beta", "example"}},
      {"model allreduce --gpus 2 --beta 1GB/s", {"needs --bytes or --params"}},
      {"model allreduce --gpus 2 --beta 1GB/s --bytes 1M --params 3", {"--bytes and --params"}},
      {"model allreduce --gpus 2 --beta 1GB/s --bytes 1M --grad-dtype bf16",
       {"--grad-dtype goes with --params"}},
      {"model allreduce --gpus 2 --beta 1GB/s --bytes 1M --algo rign", {"--algo", "did you mean \"ring\"?"}},
      {"model allreduce --gpus 2 --beta 1GB/s --bytes 1M --algo ring,", {"--algo"}},
      {"model allreduce --gpus 3 --beta 1GB/s --bytes 1M --algo halving-doubling", {"power of two", "3"}},
      {"model allreduce --gpus 8 --beta 1GB/s --bytes 1M --algo two-level", {"needs --beta-inter"}},
      {"model allreduce --gpus 8 --beta 1GB/s --bytes 1M --algo star --beta-inter 1GB/s",
       {"--beta-inter", "star"}},
      {"model memory --params 70B", {"--params", "\"70B\"", "not a number"}},
      {"model memory", {"needs --params"}},
      {"model scaling --bytes 1M --t0 1ms --c 1ms --batch 2 --beta 1GB/s --gpus 3", {"--gpus", "3"}},
      {"model scaling --bytes 1M,2M --t0 1ms --c 1ms --batch 2 --beta 1GB/s", {"--bytes", "one size"}},
      {"model overlap --gpus 1 --backward 1s --beta 1GB/s --bytes 1M", {"--gpus", "2 or more"}},
      {"model overlap --gpus 3 --backward 1s --beta 1GB/s --bytes 1M --algo halving-doubling",
       {"power of two"}},
      {"model pipeline --layers 3", {"needs --hidden"}},
      {"model bandwidth", {"needs --gpus and one of"}},
      {"model bandwidth --gpus 8 --busbw 3GB/s --time 3ms", {"--time and --busbw"}},
      {"model bandwidth --gpus 8 --time 3ms", {"--time", "--bytes"}},
      {"model bandwidth --gpus 8 --time 0s --bytes 1M", {"--time", "above 0"}},
      {"model width --tflops 3", {"--tflops", "needs --beta"}},
      {"model batchnorm --beta 1GB/s", {"--beta", "needs --gpus"}},
      {"model batchnorm --channels 3 --width 2", {"--channels and --width"}},
      {"model parameter-server --gpus 2 --bytes 1M --alpha 1us", {"--alpha", "needs --beta"}},
      {"model memory --card 80GB --gpus 2", {"--gpus", "needs --params"}},
      {"model shards", {"needs --shards"}},
  };
  for (const Bad& bad : all) refused(bad.line, bad.parts);
}

TEST(ModelBadInput, RecordsWithoutUsableConstants) {
  const TempDir dir;
  const std::pair<const char*, std::vector<std::string>> all[] = {
      {R"({"schema": "2.0", "command": "scaling-sweep", "verdict": {"fit": {"alpha_s": 1}}})",
       {"schema 2.0", "1.x"}},
      {R"({"schema": "10.0", "verdict": {"fit": {"alpha_s": 1}}})", {"schema 10.0", "1.x"}},
      {R"({"schema": "1.0", "command": "train", "verdict": {}})", {"record of \"train\"", "verdict.fit"}},
      {R"({"schema": "1.0", "command": 5, "verdict": []})", {"verdict.fit"}},
      {R"({"schema": "1.0", "command": "x", "verdict": {"fit": {"beta_Bps": 0}}})",
       {"beta_Bps", "out of range"}},
      {R"({"schema": "1.0", "command": "x", "verdict": {"fit": {"alpha_s": -1}}})",
       {"alpha_s", "out of range"}},
      {R"({"schema": "1.0", "command": "x", "verdict": {"fit": {"t0_s": "2ms"}}})", {"t0_s", "no number"}},
      {R"({"schema": "1.0", "command": "x", "verdict": {"fit": {"t0_s": null}}})", {"empty verdict.fit"}},
      {R"({"schema": "1.0", "command": "x", "verdict": {"fit": {"t0_s": 1}}})", {"needs --c"}},
      {R"({"a": 1})", {"no record"}},
      {"[1, 2", {"no JSON"}},
      {"", {"no JSON"}},
  };
  for (const auto& [text, parts] : all) refused("model scaling --from " + dir.write("r.json", text), parts);
  refused("model scaling --from " + (dir / "missing.json"), {"cannot be read", "missing.json"});
}

TEST(ModelBadInput, NcclTestsFilesThatCannotBeConverted) {
  const TempDir dir;
  const std::pair<const char*, std::vector<std::string>> all[] = {
      {R"({"version": 4, "args": ["all_reduce_perf"], "config": {}, "results": []})", {"version 4"}},
      {R"({"version": 3, "args": ["all_gather_perf"], "config": {}, "results": []})", {"all_gather_perf"}},
      {R"({"version": 3, "args": ["all_reduce_perf"], "config": {"nthreads": 0}, "results": []})",
       {"nthreads"}},
      {R"({"version": 3, "args": ["all_reduce_perf"], "config": {"nthreads": 1, "ngpus": 2}, "results": [3]})",
       {"no timed result"}},
      {R"({"schema": "1.0"})", {"no file of nccl-tests"}},
      {"{", {"no JSON"}},
  };
  for (const auto& [text, parts] : all)
    refused("model bandwidth --nccl-tests " + dir.write("r.json", text), parts);
  refused("model bandwidth --time 1ms --nccl-tests " + dir.write("r.json", "{}"), {"--time"});
}

}  // namespace
}  // namespace dpx
