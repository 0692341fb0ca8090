#pragma once
// How the LeNet engine lays out activations, and the sizes that do not depend on the width.
// Activations are [channel][y][x][16 examples]: a "line" holds one value of 16 examples, a "group" is those
// 16 examples. The line is 16 long on every instruction set, so that sums over examples have the same order
// everywhere. Only what the floor pool 9 -> 4 keeps is computed: row and column 8 of conv2's output, hence
// rows and columns 24 and 25 of conv1's, reach neither the loss nor any gradient.
namespace dpx::cpu {

inline constexpr int kLanes = 16;       ///< examples per group
inline constexpr int kBlockGroups = 2;  ///< groups whose activations stay in the L2 cache together
inline constexpr int kBlock = kLanes * kBlockGroups;  ///< examples per block
inline constexpr int kMicroShard = 64;  ///< examples whose gradient is summed by one worker, in order
inline constexpr int kMicroShardGroups = kMicroShard / kLanes;
static_assert(kMicroShard % kBlock == 0);

inline constexpr int kSide = 28, kPixels = kSide * kSide;
inline constexpr int kPool1Side = 12, kPool1Cells = kPool1Side * kPool1Side;
inline constexpr int kConv2Side = 8, kConv2Cells = kConv2Side * kConv2Side;
inline constexpr int kPool2Side = 4, kPool2Cells = kPool2Side * kPool2Side;
inline constexpr int kKernel1 = 3, kTaps1 = kKernel1 * kKernel1;
inline constexpr int kKernel2 = 5, kTaps2 = kKernel2 * kKernel2;
inline constexpr int kClasses = 10;

/// Most bytes that the ReLU masks of one pool window (4 outputs) take for a group; 8 suffice with 8 lanes or
/// more.
inline constexpr int kWindowMaskBytes = 16;
/// Most output channels in one register tile of conv2's weight gradient.
inline constexpr int kMaxConv2Tile = 5;

}  // namespace dpx::cpu
