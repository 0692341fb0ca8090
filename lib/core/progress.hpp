#pragma once
// Progress bar with rate and remaining time on stderr; silent where stderr is not a terminal.
#include <chrono>
#include <cstdint>
#include <string>

namespace dpx {

/// One bar, redrawn in place at most ten times a second and erased at the end.
class Progress {
 public:
  /// `mode`: auto (only when stderr is a terminal), on or off.
  explicit Progress(const std::string& mode = "off");
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Begins a bar of `total` steps; ends the bar before it.
  void start(std::string label, std::int64_t total);
  /// `done` of `total` steps are complete.
  void tick(std::int64_t done);
  /// Erases the bar.
  void finish();
  bool enabled() const { return enabled_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool enabled_ = false;
  bool drawn_ = false;
  std::string label_;
  std::int64_t total_ = 0;
  Clock::time_point begin_, last_draw_;
};

/// The text of a bar: `epoch 2/5 [####......] 40% 94/235, 31.2/s, 5 s left`.
std::string progress_text(const std::string& label, std::int64_t done, std::int64_t total, double elapsed_s);

}  // namespace dpx
