// make_backend of dpx_faulty, in place of the library's: CPU devices whose reducers leave out the last rank.
#include "kernels/backends.hpp"
#include "kernels/cpu/cpu_backend.hpp"

namespace dpx {
namespace {

/// Reduces without the last rank's numbers, and hands it the others' sum.
class ForgetfulReducer final : public Reducer {
 public:
  ForgetfulReducer(std::unique_ptr<Reducer> reducer, Group& group)
      : reducer_(std::move(reducer)), group_(group) {}
  std::string name() const override { return reducer_->name(); }
  std::string transport() const override { return reducer_->transport(); }
  LinkElements elements_carried() const override { return reducer_->elements_carried(); }
  std::vector<Event> allreduce(const std::vector<Slice>& slices, Range elements,
                               const std::vector<Event>& ready) override {
    std::vector<Event> later = ready;
    Stream& last = group_.device(group_.size() - 1).comm();
    last.wait(ready.back());
    last.scale(slices.back().sub(elements), 0.0f);
    later.back() = last.record();
    return reducer_->allreduce(slices, elements, later);
  }

 private:
  std::unique_ptr<Reducer> reducer_;
  Group& group_;
};

class ForgetfulBackend final : public Backend {
 public:
  std::string_view name() const override { return cpu_->name(); }
  std::vector<std::unique_ptr<Device>> open(const DeviceRequest& request) override {
    return cpu_->open(request);
  }
  std::unique_ptr<ModelEngine> make_engine(Device& device, const LeNet& model,
                                           std::size_t max_shard) override {
    return cpu_->make_engine(device, model, max_shard);
  }
  std::unique_ptr<Reducer> make_reducer(const std::string& algorithm, Group& group) override {
    return std::make_unique<ForgetfulReducer>(cpu_->make_reducer(algorithm, group), group);
  }

 private:
  std::unique_ptr<Backend> cpu_ = make_cpu_backend();
};

}  // namespace

std::unique_ptr<Backend> make_backend(const std::string&) {
  return std::make_unique<ForgetfulBackend>();
}

}  // namespace dpx
