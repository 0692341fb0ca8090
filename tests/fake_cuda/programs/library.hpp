#pragma once
// Numbers on GPU 0 and the host, for programs that compare a library with plain loops.
#include <cmath>
#include <vector>

#include "tests/fake_cuda/programs/program.hpp"

/// The same numbers on both sides; small, of both signs, different everywhere.
struct Numbers {
  std::vector<float> host;
  float* device;
  explicit Numbers(std::size_t count, unsigned seed = 0) : host(count), device(make_floats(0, int(count))) {
    for (std::size_t i = 0; i < count; ++i)
      host[i] = float((i * 2654435761u + seed * 40503u) % 1009) / 512 - 1;
  }
  void upload(cudaStream_t stream) {
    CHECK(cudaMemcpyAsync(device, host.data(), host.size() * sizeof(float), cudaMemcpyDefault, stream));
  }
  void download(cudaStream_t stream) {
    CHECK(cudaMemcpyAsync(host.data(), device, host.size() * sizeof(float), cudaMemcpyDefault, stream));
    CHECK(cudaStreamSynchronize(stream));
  }
};

/// Prints the largest difference, relative to the largest number; 1 when it is not small.
inline int compare(const char* what, const std::vector<float>& found, const std::vector<double>& wanted) {
  double difference = 0, largest = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double distance = std::fabs(found[i] - wanted[i]);
    difference = distance > difference || distance != distance ? distance : difference;
    largest = std::fmax(largest, std::fabs(wanted[i]));
  }
  const bool good = difference <= 1e-5 * largest;
  std::printf("%s: %g of %g%s\n", what, difference, largest, good ? "" : ", WRONG");
  return good ? 0 : 1;
}
