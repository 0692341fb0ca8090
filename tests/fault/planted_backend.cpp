// make_backend of dpx_planted, in place of the library's: CPU devices whose engine takes a planted time and
// computes nothing. DPX_PLANTED="t0=10ms,c=0.1ms,load=5ms,slow=2": a pass over b examples takes t0 + c b, on
// device 1 `slow` times as long, and load for its data, however few they are.
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "kernels/backends.hpp"
#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/cpu/cpu_stream.hpp"
#include "lib/core/names.hpp"
#include "lib/core/units.hpp"

namespace dpx {
namespace {

struct Planted {
  double t0_s = 0, c_s = 0, load_s = 0, slow = 1;
};

Planted planted() {
  Planted out;
  const char* const text = std::getenv("DPX_PLANTED");
  for (const std::string& item : split(text ? text : "", ',')) {
    const auto equals = std::min(item.find('='), item.size() - 1);
    const std::string key = item.substr(0, equals), value = item.substr(equals + 1);
    if (key == "t0") out.t0_s = parse_seconds(value);
    if (key == "c") out.c_s = parse_seconds(value);
    if (key == "load") out.load_s = parse_seconds(value);
    if (key == "slow") out.slow = std::stod(value);
  }
  return out;
}

class SleepingEngine final : public ModelEngine {
 public:
  SleepingEngine(const Planted& times, double factor) : times_(times), factor_(factor) {}
  std::string name() const override { return "planted"; }
  void forward_backward(Stream& stream, const Shard& shard, Slice, Slice grads, Scores) override {
    const double pass_s = factor_ * (times_.t0_s + times_.c_s * double(shard.size()));
    dynamic_cast<CpuStream&>(stream).enqueue([this, pass_s, grads] {
      const auto end =
          std::chrono::steady_clock::now() + std::chrono::duration<double>(pass_s + times_.load_s);
      prctl(PR_SET_TIMERSLACK, 1UL);
      std::fill_n(grads.as<float>(), grads.count, 0.0f);
      std::this_thread::sleep_until(end);
      load_s_ += times_.load_s;
    });
  }
  void evaluate(Stream&, const Shard&, Slice, Scores) override {}
  std::vector<PhaseTime> phases() const override { return {{"load", load_s_}}; }

 private:
  Planted times_;
  double factor_, load_s_ = 0;
};

class PlantedBackend final : public Backend {
 public:
  std::string_view name() const override { return cpu_->name(); }
  std::vector<std::unique_ptr<Device>> open(const DeviceRequest& request) override {
    if (request.count > 64) throw Error(Exit::unavailable, "64 devices are here, not more");
    return cpu_->open(request);
  }
  std::unique_ptr<ModelEngine> make_engine(Device& device, const LeNet&, std::size_t) override {
    const Planted times = planted();
    return std::make_unique<SleepingEngine>(times, device.info().name == "cpu:1" ? times.slow : 1);
  }
  std::unique_ptr<Reducer> make_reducer(const std::string& algorithm, Group& group) override {
    return cpu_->make_reducer(algorithm, group);
  }
  std::unique_ptr<Reducer> make_emulated_reducer(const std::string& algorithm, const LinkModel& link,
                                                 Group& group) override {
    return cpu_->make_emulated_reducer(algorithm, link, group);
  }

 private:
  std::unique_ptr<Backend> cpu_ = make_cpu_backend();
};

}  // namespace

std::unique_ptr<Backend> make_backend(const std::string&) {
  return std::make_unique<PlantedBackend>();
}

}  // namespace dpx
