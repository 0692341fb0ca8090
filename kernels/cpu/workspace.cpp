#include "kernels/cpu/workspace.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/core/error.hpp"

namespace dpx::cpu {

template <class T>
Array<T>::Array(std::size_t count) : data_(hwy::AllocateAligned<T>(std::max<std::size_t>(count, 1))) {
  if (!data_) throw Error(Exit::unavailable, fmt::format("cpu: no memory for {} bytes", count * sizeof(T)));
  std::fill_n(data_.get(), count, T{});
}

template class Array<float>;
template class Array<std::uint8_t>;

namespace {

std::size_t floats(int count) {
  return std::size_t(count) * kLanes;
}

std::vector<Array<float>> make_lines(const LeNet& model) {
  std::vector<Array<float>> lines;
  for (int t = 0; t < LeNet::kNumTensors; ++t) {
    std::size_t count = model.range(LeNet::Tensor(t)).count;
    if (t == LeNet::conv2_w) count = std::size_t(kMaxConv2Tile * model.conv1_channels() * kTaps2);
    if (t == LeNet::fc1_w) count = 0;
    lines.emplace_back((count + 3) / 4 * 4 * kLanes);  // lane_reduce reads lines by fours
  }
  return lines;
}

}  // namespace

Workspace::Workspace(const LeNet& model)
    : images(kBlockGroups, floats(kPixels)),
      labels(kBlockGroups, floats(1)),
      pool1(kBlockGroups, floats(model.conv1_channels() * kPool1Cells)),
      masks1(kBlockGroups, std::size_t(model.conv1_channels()) * kPool1Cells * kWindowMaskBytes),
      pool2(kMicroShardGroups, floats(model.flat())),
      masks2(kBlockGroups, std::size_t(model.flat()) * kWindowMaskBytes),
      hidden(kBlockGroups, floats(model.hidden())),
      dhidden(kBlockGroups, floats(model.hidden())),
      dpool2(kBlockGroups, floats(model.flat())),
      dconv2(kBlockGroups, floats(model.conv2_channels() * kConv2Cells)),
      dpool1(floats(model.conv1_channels() * kPool1Cells)),
      dhidden_rows(std::size_t(kMicroShard) * model.hidden()),
      lines(make_lines(model)) {}

}  // namespace dpx::cpu
