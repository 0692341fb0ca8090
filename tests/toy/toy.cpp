// A command of the tests: the shell around it is the real one, its behaviour is asked for by options.
#include <chrono>
#include <cmath>
#include <new>
#include <stdexcept>
#include <thread>

#include "apps/cli.hpp"
#include "lib/core/error.hpp"
#include "lib/core/interrupt.hpp"

namespace dpx {
namespace {

class Toy final : public Experiment {
 public:
  void declare(Fields& f) override {
    f.integer("batch", &batch_, {1, 1 << 20}, "examples per step").group("training");
    f.integer("gpus", &gpus_, {1, 256}, "devices").alias("g").group("devices");
    f.real("lr", &lr_, {0, 1e6, true}, "learning rate").group("training");
    f.bytes("bytes", &bytes_, {1, INT64_MAX}, "size").alias("b").group("training");
    f.integers("shards", &shards_, {1, INT64_MAX}, "sizes in turn").group("training");
    f.choice("algo", &algo_, {"star", "ring"}, "algorithm").group("training");
    f.on_off("check", &check_, "compare the result").group("training");
    f.integer("rows", &rows_, {0, 1000000}, "rows to measure").group("training");
    f.real("row-s", &row_s_, {0, 60}, "seconds per row").group("training");
    f.choice("fail", &fail_, {"none", "check", "error", "crash", "memory", "nan", "hang"}, "how to end")
        .group("training");
  }
  void check() override {
    if (batch_ < gpus_)
      throw Error(Exit::usage,
                  "--batch " + std::to_string(batch_) + " is smaller than --gpus " + std::to_string(gpus_));
  }
  void run(Run& run) override {
    run.record.set_devices({{"cpu:0", "toy", "cpu", 1}, {"cpu:1", "toy", "cpu", 1}}, "cpu");
    for (int i = 0; i < rows_ && interrupt_signal() == 0; ++i) {
      std::this_thread::sleep_for(std::chrono::duration<double>(row_s_));
      run.record.add_case({.key = {{"row", i}}, .samples_s = {0.5, fail_ == "nan" ? std::nan("") : 1.5}});
      run.out << "row " << i << std::endl;
    }
    while (fail_ == "hang") std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (fail_ == "error") throw Error(Exit::bad_data, "toy data are damaged");
    if (fail_ == "crash") throw std::logic_error("toy fault");
    if (fail_ == "memory") throw std::bad_alloc();
    run.record.add_check("toy", fail_ == "nan" ? std::nan("") : 0.0, 1.0, fail_ != "check");
    run.record.verdict()["lr"] = lr_;
  }

 private:
  int batch_ = 256, gpus_ = 2, rows_ = 2;
  double lr_ = 0.2, row_s_ = 0;
  std::int64_t bytes_ = 1024;
  std::vector<std::int64_t> shards_{1, 2};
  bool check_ = true;
  std::string algo_ = "star", fail_ = "none";
};

}  // namespace
}  // namespace dpx

int main(int argc, char** argv) {
  return dpx::run_cli(argc, argv, {{"toy", "a command of the tests", [] {
                                      return std::unique_ptr<dpx::Experiment>(std::make_unique<dpx::Toy>());
                                    }}});
}
