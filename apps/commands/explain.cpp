// dpx explain RECORD: where a measured step went, what binds it and what would change that.
#include <fmt/ostream.h>

#include "apps/commands.hpp"                   // declares: make_explain
#include "apps/commands/explanation.hpp"       // defines: print_explanation, explanation_json
#include "apps/commands/model/fit_record.hpp"  // defines: read_fit, describe
#include "apps/experiment.hpp"                 // defines: Experiment, Run
#include "lib/core/error.hpp"
#include "lib/record/read_record.hpp"  // defines: read_record

namespace dpx {
namespace {

class Explain final : public Experiment {
 public:
  void declare(Fields& fields) override {
    fields.text("record", &record_, "record of train or scaling-sweep").positional().optional();
    fields.text("from", &from_, "record of scaling-sweep whose fit gives the constants that RECORD lacks")
        .optional();
  }
  std::string default_out() const override { return "none"; }
  std::string examples() const override {
    return "  dpx explain results/train-20250301T123456Z.json\n"
           "  dpx explain train-k2.json --from sweep.json\n";
  }
  void check() override {
    if (record_.empty())
      throw Error(Exit::usage,
                  "explain needs the record of a train or scaling-sweep run: dpx explain RECORD");
  }
  void run(Run& run) override;

 private:
  std::string record_, from_;
};

StepConstants constants_of(const FitRecord& fit) {
  const auto constant = [&](const char* flag) {
    const auto found = fit.constants.find(flag);
    return found == fit.constants.end() ? std::nullopt : std::optional(found->second);
  };
  return {constant("alpha"), constant("beta"), constant("t0"), constant("c")};
}

void Explain::run(Run& run) {
  const Json document = read_record(record_, record_);
  std::vector<RecordedStep> steps = recorded_steps(document, record_);
  StepConstants constants;
  if (!from_.empty()) {
    const FitRecord fit = read_fit(from_);
    constants = constants_of(fit);
    fmt::print(run.out, "{}\n", describe(fit, from_));
  }
  const bool only_one = steps.size() == 1;
  run.record.verdict()["explained"] = {{"record", record_}, {"command", document["command"]}};
  for (RecordedStep& step : steps) {
    if (step.facts.gpus < 2 && !only_one) continue;  // the steps that the others are compared with
    apply_constants(step.facts, constants);
    const Explanation explanation = explain(step.facts);
    print_explanation(run.out, step.facts, explanation);
    Case row;
    row.key = step.key;
    row.metrics = explanation_json(explanation);
    run.record.add_case(row);
  }
}

}  // namespace

std::unique_ptr<Experiment> make_explain() {
  return std::make_unique<Explain>();
}

}  // namespace dpx
