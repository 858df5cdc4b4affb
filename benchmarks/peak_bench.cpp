// What this core can do at most with the instruction set that abut uses, as one line of JSON:
// floating-point operations by multiply-adds in registers, and memory traffic of 1 MiB that is read
// and written again and again, as contacts of a large heap are.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "abut/core/isa.hpp"
#include "bench_main.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace {

using namespace abut;

constexpr int accumulators = 12;  // more than a multiply-add's latency times two of them a cycle

/// Multiplies and adds to all accumulators `rounds` times; returns how many operations that is.
using Arithmetic = double (*)(int rounds, double* result);
/// x := a x + b
using Stream = void (*)(double* x, std::size_t count);

double scalar_arithmetic(int rounds, double* result) {
  double x[accumulators] = {};
  for (int i = 0; i < rounds; ++i) {
    for (double& a : x) a = a * 0.5 + 1;
  }
  for (const double a : x) *result += a;
  return 2.0 * accumulators * rounds;
}

void scalar_stream(double* x, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) x[i] = x[i] * 0.5 + 1;
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) double avx2_arithmetic(int rounds, double* result) {
  const __m256d half = _mm256_set1_pd(0.5), one = _mm256_set1_pd(1);
  __m256d x[accumulators];
  for (__m256d& a : x) a = one;
  for (int i = 0; i < rounds; ++i) {
    for (__m256d& a : x) a = _mm256_fmadd_pd(a, half, one);
  }
  for (const __m256d& a : x) *result += a[0];
  return 8.0 * accumulators * rounds;
}

__attribute__((target("avx2,fma"))) void avx2_stream(double* x, std::size_t count) {
  const __m256d half = _mm256_set1_pd(0.5), one = _mm256_set1_pd(1);
  for (std::size_t i = 0; i < count; i += 4) {
    _mm256_storeu_pd(x + i, _mm256_fmadd_pd(_mm256_loadu_pd(x + i), half, one));
  }
}

__attribute__((target("avx512f"))) double avx512_arithmetic(int rounds, double* result) {
  const __m512d half = _mm512_set1_pd(0.5), one = _mm512_set1_pd(1);
  __m512d x[accumulators];
  for (__m512d& a : x) a = one;
  for (int i = 0; i < rounds; ++i) {
    for (__m512d& a : x) a = _mm512_fmadd_pd(a, half, one);
  }
  for (const __m512d& a : x) *result += a[0];
  return 16.0 * accumulators * rounds;
}

__attribute__((target("avx512f"))) void avx512_stream(double* x, std::size_t count) {
  const __m512d half = _mm512_set1_pd(0.5), one = _mm512_set1_pd(1);
  for (std::size_t i = 0; i < count; i += 8) {
    _mm512_storeu_pd(x + i, _mm512_fmadd_pd(_mm512_loadu_pd(x + i), half, one));
  }
}
#endif

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
  Arithmetic arithmetic = scalar_arithmetic;
  Stream stream = scalar_stream;
#if defined(__x86_64__)
  if (active_isa() == Isa::avx2) arithmetic = avx2_arithmetic, stream = avx2_stream;
  if (active_isa() == Isa::avx512) arithmetic = avx512_arithmetic, stream = avx512_stream;
#endif
  constexpr int rounds = 200'000, passes = 100;
  double result = 0, operations = 0;
  const double seconds = least_time([&] { operations = arithmetic(rounds, &result); });
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
