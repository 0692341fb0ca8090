#include "lib/core/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "lib/core/units.hpp"

namespace dpx {

std::string progress_text(const std::string& label, std::int64_t done, std::int64_t total, double elapsed_s) {
  constexpr int width = 24;
  const double part = total > 0 ? std::clamp(double(done) / double(total), 0.0, 1.0) : 0.0;
  const int full = int(part * width);
  std::string text = fmt::format("{} [{:#<{}}{:.<{}}] {:3.0f}% {}/{}", label, "", full, "", width - full,
                                 std::min(part * 100, 100.0), done, total);
  if (done > 0 && elapsed_s > 0) {
    const double rate = double(done) / elapsed_s;
    text += fmt::format(", {:.3g}/s, {} left", rate,
                        format_seconds(double(std::max<std::int64_t>(0, total - done)) / rate));
  }
  return text;
}

Progress::Progress(const std::string& mode)
    : enabled_(mode == "on" || (mode == "auto" && isatty(STDERR_FILENO) == 1)) {}

void Progress::start(std::string label, std::int64_t total) {
  finish();
  label_ = std::move(label);
  total_ = total;
  begin_ = last_draw_ = Clock::now();
}

void Progress::tick(std::int64_t done) {
  if (!enabled_) return;
  const auto now = Clock::now();
  if (now - last_draw_ < std::chrono::milliseconds(100)) return;
  last_draw_ = now;
  drawn_ = true;
  const std::string text =
      progress_text(label_, done, total_, std::chrono::duration<double>(now - begin_).count());
  fmt::print(stderr, "\r\x1b[K{}", text);
  std::fflush(stderr);
}

void Progress::finish() {
  if (!drawn_) return;
  drawn_ = false;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

}  // namespace dpx
