// dpx model TOPIC: the numeric questions of both sources, answered in closed form.
#include <fmt/format.h>

#include "apps/commands/model/options.hpp"
#include "apps/commands/model/topic.hpp"
#include "lib/core/error.hpp"
#include "lib/core/names.hpp"

namespace dpx {
namespace {

class Model final : public Experiment {
 public:
  void declare(Fields& fields) override { options_.declare(fields); }
  std::string default_out() const override { return "none"; }
  std::string examples() const override;
  void check() override;
  void run(Run& run) override { topic_->run(options_, run); }

 private:
  ModelOptions options_;
  const Topic* topic_ = nullptr;
};

std::string Model::examples() const {
  std::string out;
  for (const Topic& topic : topics())
    out += fmt::format("  {}: {}\n    dpx model {}\n      -> {}\n", topic.name, topic.help, topic.example,
                       topic.answer);
  return out;
}

void Model::check() {
  for (const Topic& topic : topics())
    if (topic.name == options_.topic) topic_ = &topic;
  if (topic_ == nullptr)
    throw Error(Exit::usage,
                "model needs a topic: " + join(topic_names()) + "; dpx model --help shows one line of each");
  options_.check(*topic_);
}

}  // namespace

std::unique_ptr<Experiment> make_model() {
  return std::make_unique<Model>();
}

}  // namespace dpx
