#include "lib/record/environment.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <fstream>
#include <set>
#include <string_view>
#include <thread>

#include "dpx_version.hpp"

extern char** environ;

namespace dpx {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

std::string os_name() {
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("PRETTY_NAME=")) continue;
    std::string name = line.substr(12);
    std::erase(name, '"');
    return name;
  }
  return {};
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json allowed_variables() {
  std::set<std::string> lines;  // sorted, so that two records of one environment are equal
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view line(*entry);
    for (const std::string_view prefix : {"CUDA_", "NCCL_", "OMP_", "DPX_"})
      if (line.starts_with(prefix) && line.find('=') != std::string_view::npos) lines.emplace(line);
  }
  Json out = Json::object();
  for (const std::string& line : lines) out[line.substr(0, line.find('='))] = line.substr(line.find('=') + 1);
  return out;
}

Json versions() {
  return {{"dpx", build::kVersion},
          {"git_sha", build::kGitSha},
          {"dirty", build::kDirty},
          {"compiler", build::kCompiler},
          {"build_type", build::kBuildType},
          {"sanitizer", text_or_null(build::kSanitizer)},
          {"cuda", nullptr},
          {"driver", nullptr},
          {"cudnn", nullptr},
          {"cublas", nullptr},
          {"nccl", nullptr},
          {"mpi", nullptr}};
}

}  // namespace

int available_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return int(std::max(1u, std::thread::hardware_concurrency()));
}

std::string utc_now(bool compact) {
  const std::time_t now = std::time(nullptr);
  std::tm utc = {};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, compact ? "%Y%m%dT%H%M%SZ" : "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

Json capture_environment() {
  utsname system = {};
  const bool named = uname(&system) == 0;
  const std::string os = os_name();
  const std::string kernel = named ? std::string(system.sysname) + " " + system.release : "";
  const std::int64_t pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGE_SIZE);
  Json out;
  out["time_utc"] = utc_now();
  out["host"] = text_or_null(named ? system.nodename : "");
  out["os"] = text_or_null(os.empty() ? kernel : os + ", " + kernel);
  out["cpu"] = text_or_null(cpu_model());
  out["cores"] = available_cores();
  out["memory_bytes"] = pages > 0 && page_bytes > 0 ? Json(pages * page_bytes) : Json(nullptr);
  describe_devices(out, {}, "");
  out["versions"] = versions();
  out["env"] = allowed_variables();
  return out;
}

void describe_devices(Json& environment, const std::vector<DeviceInfo>& devices, const std::string& backend) {
  std::set<std::string> hardware;
  Json list = Json::array();
  for (const DeviceInfo& d : devices) {
    hardware.insert(d.physical);
    list.push_back({{"name", d.name},
                    {"description", d.description},
                    {"physical", d.physical},
                    {"threads", d.threads > 0 ? Json(d.threads) : Json(nullptr)},
                    {"uuid", text_or_null(d.uuid)}});
  }
  environment["backend"] = text_or_null(backend);
  environment["devices"] = std::move(list);
  environment["distinct_devices"] = hardware.size();
  environment["emulated"] = hardware.size() < devices.size();
}

}  // namespace dpx
