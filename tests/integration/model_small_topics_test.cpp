// dpx model through the executable: the topics with small answers, records as input and output, and help.
// Test names carry the id of the value.
#include <gtest/gtest.h>

#include "tests/support/model_answer.hpp"
#include "tests/support/run_record.hpp"
#include "tests/support/temp_dir.hpp"

namespace dpx {
namespace {

using namespace test;
using nlohmann::json;

TEST(Model, Ex1_PipelineBytesAndBubble) {
  const json record = answer("model pipeline --layers 32 --hidden 4096 --batch 256");
  EXPECT_EQ(metrics(record, {{"scheme", "data"}})["sent_per_gpu_bytes"], 2147483648);
  EXPECT_EQ(metrics(record, {{"scheme", "data"}})["crossing_bytes"], 4294967296);
  EXPECT_EQ(metrics(record, {{"scheme", "pipeline"}})["crossing_bytes"], 8388608);
  EXPECT_EQ(record["verdict"]["bytes_ratio"], 512);
  EXPECT_EQ(record["verdict"]["data_parallel_wins_above_batch"], 131072);
  EXPECT_DOUBLE_EQ(number(record, {{"micro_batches", 1}}, "idle_share"), 0.5);
  EXPECT_DOUBLE_EQ(number(record, {{"micro_batches", 8}}, "idle_share"), 1.0 / 9);
}

TEST(Model, Ex2_2_ShardWeights) {
  const json record = answer("model shards --shards 3000,1000");
  EXPECT_NEAR(number(record, {{"shard", 0}}, "relative_weight"), 2.0 / 3, 1e-12);
  EXPECT_NEAR(number(record, {{"shard", 1}}, "relative_weight"), 2, 1e-12);
}

TEST(Model, Ex3_2_BatchNorm) {
  for (const char* line : {"model batchnorm", "model batchnorm --channels 20,50,128 --bytes 516272"}) {
    const json record = answer(line);
    EXPECT_EQ(metrics(record, {})["forward_bytes"], 1584);
    EXPECT_NEAR(number(record, {}, "share_of_gradients"), 0.0031, 5e-5);
  }
  const json timed = answer("model batchnorm --gpus 2 --alpha 10us --beta 20GB/s");
  EXPECT_NEAR(number(timed, {{"gpus", 2}}, "forward_time_s"), 3 * 2 * 10e-6 + 1584 / 20e9, 1e-12);
}

TEST(Model, Ex5_1_ParameterServer) {
  const json record = answer("model parameter-server --gpus 8 --servers 1,8,16 --bytes 1GB --beta 20GB/s");
  EXPECT_EQ(metrics(record, {{"servers", 1}})["server_bytes"], 8000000000);
  EXPECT_EQ(metrics(record, {{"servers", 8}})["server_bytes"], 1000000000);
  EXPECT_EQ(metrics(record, {{"servers", 8}})["on_workers_busiest_bytes"], 1750000000);
  EXPECT_TRUE(metrics(record, {{"servers", 16}})["on_workers_busiest_bytes"].is_null());
  EXPECT_EQ(record["verdict"]["balanced_servers"]["8"], 8);
}

TEST(Model, B8_Ex6_3_Bandwidth) {
  const json star = answer("model bandwidth --gpus 2 --bytes 256M --time 31.1ms");
  EXPECT_NEAR(number(star, {}, "algbw_GBps"), 8.63, 0.005);
  EXPECT_NEAR(number(star, {}, "busbw_GBps"), 8.63, 0.005);
  EXPECT_NEAR(number(star, {}, "effective_GBps"), 17.26, 0.005);
  const json ring = answer("model bandwidth --gpus 8 --bytes 1GB --busbw 400GB/s");
  EXPECT_NEAR(number(ring, {}, "time_s") * 1e3, 4.375, 1e-9);
  EXPECT_NEAR(number(ring, {}, "busbw_as_beta_time_s") * 1e3, 5, 1e-9);
  EXPECT_NEAR(number(ring, {}, "busbw_as_beta_error"), 0.143, 5e-4);
}

TEST(Model, BandwidthOfOneGpuIsNotApplicable) {
  const json record = answer("model bandwidth --gpus 1 --bytes 1M --time 1ms");
  for (const char* name : {"algbw_GBps", "busbw_GBps", "effective_GBps"})
    EXPECT_TRUE(metrics(record, {})[name].is_null()) << name;
  EXPECT_NE(run_dpx(words_of("model bandwidth --gpus 1 --bytes 1M --time 1ms")).out.find("n/a"),
            std::string::npos);
}

constexpr const char* kNcclTests = R"({"version":3,"start_time":"2026-01-01 00:00:00",
 "args":["./build/all_reduce_perf","-g","8"],"env":[],"nccl_version":23004,
 "config":{"nthreads":1,"ngpus":8,"validation":1,"blocking_collectives":"false",
  "devices":[{"rank":0,"group":0,"device":0}]},
 "results":[{"size":1000000000,"count":250000000,"type":"float","redop":"sum","root":"    -1",
   "out_of_place":{"time":4375.000000,"alg_bw":228.571429,"bus_bw":400.000000,"nwrong":0.000000},
   "in_place":{"time":8750.000000,"alg_bw":114.285714,"bus_bw":200.000000,"nwrong":null}},
  {"size":4,"count":1,"type":"float","redop":"sum","root":"    -1",
   "out_of_place":{"time":"nan","alg_bw":"nan","bus_bw":"nan","nwrong":null},"in_place":null}],
 "out_of_bounds":{"count":0,"okay":"true"},"average_bus_bandwidth":{"bandwidth":300.0,"okay":"unchecked"}})";

TEST(Model, BandwidthConvertsNcclTestsFiles) {
  const TempDir dir;
  const json record = answer("model bandwidth --nccl-tests " + dir.write("r.json", kNcclTests));
  ASSERT_EQ(record["cases"].size(), 2u);
  EXPECT_EQ(record["cases"][0]["key"]["gpus"], 8);
  EXPECT_NEAR(number(record, {{"in_place", false}}, "time_s"), 4.375e-3, 1e-12);
  EXPECT_NEAR(number(record, {{"in_place", false}}, "busbw_GBps"), 400, 1e-6);
  EXPECT_NEAR(number(record, {{"in_place", true}}, "effective_GBps"), 228.571, 1e-3);
  EXPECT_EQ(record["verdict"]["busbw_agrees_with_file"], true);
  const json other = answer("model bandwidth --gpus 4 --nccl-tests " + dir.write("s.json", kNcclTests));
  EXPECT_EQ(other["verdict"]["busbw_agrees_with_file"], false);
}

TEST(Model, Ex10_Width) {
  const json record = answer("model width --width 1,16 --batch 256 --beta 17.28GB/s --tflops 27.7");
  EXPECT_EQ(metrics(record, {{"width", 1}})["gradient_bytes"], 516272);
  EXPECT_EQ(metrics(record, {{"width", 1}})["forward_macs"], 2250360);
  EXPECT_NEAR(number(record, {{"width", 16}}, "macs_per_byte"), 4.186, 5e-4);
  EXPECT_NEAR(record["verdict"]["limit"]["macs_per_byte"].get<double>(), 4.175, 5e-4);
  EXPECT_NEAR(record["verdict"]["limit"]["break_even_TFLOPps"].get<double>(), 27.7, 0.05);
  EXPECT_NEAR(record["verdict"]["limit"]["speedup_2_gpus"].get<double>(), 1, 1e-3);
  const json large = answer("model width --width 16 --batch 1024 --beta 17.28GB/s");
  EXPECT_NEAR(large["verdict"]["limit"]["break_even_TFLOPps"].get<double>(), 110.8, 0.05);
}

TEST(Model, D9_A15_Memory) {
  const json record = answer(config("lesson/memory.json"));
  EXPECT_EQ(metrics(record, {{"bytes_per_param", 16.0}})["device_bytes"], 1120000000000);
  EXPECT_EQ(metrics(record, {{"bytes_per_param", 16.0}})["largest_model_params"], 5e9);
  EXPECT_EQ(metrics(record, {{"bytes_per_param", 16.0}})["fits"], false);
  EXPECT_EQ(metrics(answer("model memory --params 129068"), {{"bytes_per_param", 8.0}})["device_bytes"],
            2 * 516272);
}

TEST(Model, TakesConstantsFromARecordUnlessAFlagGivesThem) {
  const TempDir dir;
  const std::string path = dir.write("fit.json", R"({"schema": "1.7", "command": "scaling-sweep", "new": 1,
    "verdict": {"fit": {"alpha_s": 0, "beta_Bps": {"value": 2e10, "low": 1.9e10, "high": 2.1e10},
                        "t0_s": 2e-3, "c_s_per_example": 2e-4, "num_params": 11.2e6, "batch": 256,
                        "backward_s": null, "other": "x"}}})");
  const std::string line = "model scaling --gpus 2,4 --from " + path;
  EXPECT_NEAR(number(answer(line), {{"gpus", 4}}, "speedup"), 2.930, 5e-4);
  EXPECT_NEAR(number(answer(line + " --beta 5GB/s"), {{"gpus", 4}}, "speedup"), 1.884, 5e-4);
  const std::string table = run_dpx(words_of(line)).out;
  EXPECT_NE(table.find("(scaling-sweep): alpha 0 s, batch 256, beta 20 GB/s"), std::string::npos) << table;
}

TEST(Model, WritesARecordOnlyWhenAsked) {
  const TempDir dir;
  std::vector<std::string> args = words_of("model crossover --gpus 8 --alpha 10us --beta 20GB/s");
  EXPECT_EQ(run_dpx(args, dir.path()).exit_code, 0);
  EXPECT_TRUE(list_directory(dir.path()).empty());
  const RecordedRun recorded = run_recorded(args);
  EXPECT_EQ(recorded.outcome.exit_code, 0);
  EXPECT_EQ(recorded.record["config"]["topic"], "crossover");
  EXPECT_FALSE(recorded.record["config"].contains("bytes")) << "what was not given is not recorded";
  const std::string path = dir.write("r.json", recorded.text);
  EXPECT_EQ(answer("model --config " + path)["cases"], recorded.record["cases"])
      << "a record can be repeated";
}

TEST(Model, EveryTopicsRecordHoldsToTheSchema) {
  for (const char* line :
       {"model allreduce --gpus 1,3 --beta 1GB/s --bytes 1M --algo ring,halving-doubling",
        "model scaling --bytes 1M --t0 0s --c 0s --batch 8 --beta 1GB/s --mode both --accumulate 2",
        "model overlap --gpus 2 --bytes 1000 --backward 0s --beta 1GB/s", "model pipeline --stages 4",
        "model bandwidth --gpus 1,2 --algbw 1GB/s", "model width --width 2", "model memory --card 80GB"}) {
    const RecordedRun run = run_recorded(words_of(line));
    EXPECT_EQ(run.outcome.exit_code, 0) << line << run.outcome.err;
  }
}

TEST(Model, EveryLineOfItsHelpWorks) {
  const std::string help = run_dpx({"model", "--help"}).out;
  int lines = 0;
  for (std::size_t at = 0; (at = help.find("    dpx model ", at)) != std::string::npos; ++lines) {
    at += std::string("    dpx ").size();
    const Outcome run = run_dpx(words_of(help.substr(at, help.find('\n', at) - at)));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.err, "");
  }
  EXPECT_EQ(lines, 11);
  EXPECT_NE(help.find("Usage: dpx model TOPIC [OPTIONS]"), std::string::npos);
}

}  // namespace
}  // namespace dpx
