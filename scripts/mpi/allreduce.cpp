// MPI_Allreduce timed as dpx allreduce-bench times: each rank rewrites its buffer, all meet, then the time
// from the last rank's start to the last rank's end. Usage: mpirun -np K allreduce SAMPLES BYTES...; prints
// "BYTES MEDIAN_S" per line.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

// The latest of the ranks' clocks; on one machine MPI_Wtime is the same clock for all ranks.
static double latest(double time) {
  double result = 0;
  MPI_Allreduce(&time, &result, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return result;
}

static double median_s(std::vector<float>& buffer, int samples) {
  std::vector<double> times;
  for (int i = 0; i < samples + 2; ++i) {  // two to warm up
    std::fill(buffer.begin(), buffer.end(), 0.0f);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, buffer.data(), int(buffer.size()), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    const double end = MPI_Wtime();
    const double time = latest(end) - latest(begin);
    if (i >= 2) times.push_back(time);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int samples = argc > 1 ? std::atoi(argv[1]) : 100;
  for (int i = 2; i < argc; ++i) {
    const long long bytes = std::atoll(argv[i]);
    std::vector<float> buffer(std::size_t(bytes) / sizeof(float));
    const double time = median_s(buffer, bytes > (8 << 20) ? std::min(samples, 9) : samples);
    if (rank == 0) std::printf("%lld %.9f\n", bytes, time);
  }
  MPI_Finalize();
}
