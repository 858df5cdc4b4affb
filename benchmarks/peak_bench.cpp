// What this core can do at most with the instruction set that abut uses, as one line of JSON:
// floating-point operations by multiply-adds in registers, and memory traffic of 1 MiB that is read
// and written again and again, as contacts of a large heap are.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "abut/core/isa_table.hpp"
#include "bench_main.hpp"
#include "peak_kernels.hpp"

namespace abut {

namespace isa_baseline {
extern const PeakKernels peak_table;
}
namespace isa_avx2 {
extern const PeakKernels peak_table;
}
namespace isa_avx512 {
extern const PeakKernels peak_table;
}

const PeakKernels& kernels() {
  static constinit IsaTable table(ABUT_ISA_TABLES(peak_table));
  return table.get();
}

}  // namespace abut

namespace {

using namespace abut;

/// The least time of 20 runs [s].
template <class Work>
double least_time(const Work& work) {
  using Clock = std::chrono::steady_clock;
  double least = 1e9;
  for (int i = 0; i < 20; ++i) {
    const Clock::time_point begin = Clock::now();
    work();
    least = std::min(least, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return least;
}

int bench(int /*argc*/, char** /*argv*/) {
  constexpr int rounds = 200'000, passes = 100;
  const auto [multiply_adds, stream] = kernels();
  double result = 0, operations = 0;
  const double seconds = least_time([&] { operations = multiply_adds(rounds, result); });
  std::vector<double> x(std::size_t{1} << 17, 1.0);
  const double streaming = least_time([&] {
    for (int i = 0; i < passes; ++i) stream(x.data(), x.size());
  });
  const double bytes = 2.0 * passes * sizeof(double) * static_cast<double>(x.size());
  std::printf("{\"isa\": \"%s\", \"gflops\": %.2f, \"gbytes_per_s\": %.2f, \"result\": %g}\n",
              std::string(to_string(active_isa())).c_str(), 1e-9 * operations / seconds,
              1e-9 * bytes / streaming, result + x[0]);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return abut::run_bench("peak_bench", bench, argc, argv);
}
