#include "tests/fake_cuda/runtime/settings.hpp"

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <map>
#include <sstream>

#include "tests/fake_cuda/runtime/report.hpp"
#include "tests/fake_cuda/runtime/visible.hpp"

namespace fake {
namespace {

std::string variable(const char* name, const char* otherwise) {
  const char* text = std::getenv(name);
  return text && *text ? text : otherwise;
}

[[noreturn]] void refuse(const char* name, const std::string& value, const char* allowed) {
  stop(std::string(name) + "=" + value + ": " + allowed);
}

std::uint64_t number(const char* name, const std::string& text) {
  char* end = nullptr;
  const std::uint64_t value = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || *end) refuse(name, text, "a whole number is needed");
  return value;
}

std::size_t whole_pages(std::size_t bytes) {
  return bytes & ~std::size_t(4095);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

template <class Value>
Value choice(const char* name, const char* otherwise, const std::map<std::string, Value>& values,
             const char* allowed) {
  const std::string text = variable(name, otherwise);
  const auto found = values.find(text);
  if (found == values.end()) refuse(name, text, allowed);
  return found->second;
}

/// GPU `physical`'s entry of DPX_FAKE_MODELS, `name:capability:multiprocessors:bytes`; beyond the last, the
/// usual model.
Model model_of(int physical, const Settings& s) {
  const std::vector<std::string> entries = split(variable("DPX_FAKE_MODELS", ""), ',');
  const auto index = static_cast<std::size_t>(physical);
  if (index >= entries.size()) return {.memory_bytes = s.memory_bytes};
  const std::vector<std::string> parts = split(entries[index], ':');
  if (parts.size() != 4)
    refuse("DPX_FAKE_MODELS", entries[index], "name:capability:multiprocessors:bytes is needed");
  const auto at = [&](std::size_t i) { return number("DPX_FAKE_MODELS", parts[i]); };
  return {parts[0], static_cast<int>(at(1)), static_cast<int>(at(2)), whole_pages(at(3))};
}

Settings read() {
  Settings s;
  s.driver = static_cast<int>(
      number("DPX_FAKE_DRIVER", variable("DPX_FAKE_DRIVER", std::to_string(CUDART_VERSION).c_str())));
  const auto count = static_cast<int>(number("DPX_FAKE_GPUS", variable("DPX_FAKE_GPUS", "2")));
  if (!s.driver_is_too_old()) s.gpus = visible_gpus(std::getenv("CUDA_VISIBLE_DEVICES"), count);
  const std::string policy = variable("DPX_FAKE_POLICY", "lazy");
  if (policy.rfind("random:", 0) == 0) {
    s.policy = Policy::random;
    s.seed = number("DPX_FAKE_POLICY", policy.substr(7));
  } else if (policy == "eager") {
    s.policy = Policy::eager;
  } else if (policy != "lazy") {
    refuse("DPX_FAKE_POLICY", policy, "lazy, eager or random:SEED");
  }
  s.races = choice<bool>("DPX_FAKE_RACES", "on", {{"on", true}, {"off", false}}, "on or off");
  s.check_twins = choice<bool>("DPX_FAKE_CHECK_TWINS", "off", {{"on", true}, {"off", false}}, "on or off");
  s.peer =
      choice<Peer>("DPX_FAKE_PEER", "on", {{"on", Peer::on}, {"off", Peer::off}, {"corrupt", Peer::corrupt}},
                   "on, off or corrupt");
  s.memory_bytes = whole_pages(number("DPX_FAKE_MEMORY", variable("DPX_FAKE_MEMORY", "4294967296")));
  for (const int gpu : s.gpus) s.models.push_back(model_of(gpu, s));
  s.twins = split(variable("DPX_FAKE_TWINS", ""), ':');
  return s;
}

/// One entry of DPX_FAKE_FAIL, `function:nth:code` with nth = `3` (that call), `3+` (from it on) or `*`.
struct Failure {
  std::string function;
  std::uint64_t first = 1, last = UINT64_MAX;
  int code = 0;
};

std::vector<Failure> read_failures() {
  std::vector<Failure> failures;
  for (const std::string& entry : split(variable("DPX_FAKE_FAIL", ""), ',')) {
    const std::vector<std::string> parts = split(entry, ':');
    if (parts.size() != 3) refuse("DPX_FAKE_FAIL", entry, "function:nth:code is needed");
    Failure failure{.function = parts[0], .code = static_cast<int>(number("DPX_FAKE_FAIL", parts[2]))};
    if (parts[1] != "*") {
      const bool onwards = parts[1].back() == '+';
      failure.first = number("DPX_FAKE_FAIL", onwards ? parts[1].substr(0, parts[1].size() - 1) : parts[1]);
      if (!onwards) failure.last = failure.first;
    }
    failures.push_back(failure);
  }
  return failures;
}

}  // namespace

bool Settings::driver_is_too_old() const {
  return driver / 1000 < CUDART_VERSION / 1000;
}

const Settings& settings() {
  static const Settings instance = read();
  return instance;
}

int injected_failure(const char* function) {
  static const std::vector<Failure> failures = read_failures();
  if (failures.empty()) return 0;
  static std::map<std::string, std::uint64_t> calls;
  const std::uint64_t call = ++calls[function];
  for (const Failure& failure : failures)
    if (failure.function == function && call >= failure.first && call <= failure.last) return failure.code;
  return 0;
}

}  // namespace fake
