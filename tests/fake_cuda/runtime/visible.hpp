#pragma once
// Which GPUs CUDA_VISIBLE_DEVICES lets a program see.
#include <array>
#include <string>
#include <vector>

namespace fake {

/// The 16 bytes that name a GPU for good, and their text "GPU-d0bbe1d0-...".
std::array<char, 16> uuid_of(int physical);
std::string uuid_text_of(int physical);

/// Physical ordinals by visible ordinal, as the driver reads `list`: ordinals, or beginnings of UUIDs where
/// the first entry is one, up to the first that is unknown or ambiguous; nothing where one is named twice.
/// Null: all.
std::vector<int> visible_gpus(const char* list, int physical);

}  // namespace fake
