#include "abut/core/isa.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <cstdlib>
#include <string>

#include "abut/core/error.hpp"

namespace abut {
namespace {

#if defined(__x86_64__)
/// What -march=x86-64-v3 may use. Clang's __builtin_cpu_supports did not always know the last
/// three.
bool has_v3() {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2") ||
      !__builtin_cpu_supports("popcnt")) {
    return false;
  }
  unsigned eax = 0, ebx = 0, basic = 0, extended = 0, edx = 0;
  return __get_cpuid(1, &eax, &ebx, &basic, &edx) != 0 &&
         __get_cpuid(0x80000001, &eax, &ebx, &extended, &edx) != 0 && (basic & bit_MOVBE) != 0 &&
         (basic & bit_F16C) != 0 && (extended & bit_LZCNT) != 0;
}

/// And -march=x86-64-v4.
bool has_v4() {
  return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#endif

bool is_supported(Isa isa) {
  switch (isa) {
    case Isa::baseline: return true;
#if defined(ABUT_HAS_ISA_avx2)
    case Isa::avx2: return has_v3();
#endif
#if defined(ABUT_HAS_ISA_avx512)
    case Isa::avx512: return has_v4();
#endif
    default: return false;
  }
}

Isa detect() {
  const char* wanted = std::getenv("ABUT_ISA");
  if (wanted != nullptr && *wanted != '\0') {
    for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
      if (std::string(wanted) != to_string(isa)) continue;
      if (!is_supported(isa)) {
        fail_input(std::string("ABUT_ISA = ") + wanted + ", not available on this machine");
      }
      return isa;
    }
    fail_input(std::string("ABUT_ISA = ") + wanted + ", must be baseline, avx2 or avx512");
  }
  for (const Isa isa : {Isa::avx512, Isa::avx2}) {
    if (is_supported(isa)) return isa;
  }
  return Isa::baseline;
}

}  // namespace

Isa active_isa() {
  static const Isa isa = detect();
  return isa;
}

const char* to_string(Isa isa) {
  switch (isa) {
    case Isa::baseline: return "baseline";
    case Isa::avx2: return "avx2";
    case Isa::avx512: return "avx512";
  }
  return "";
}

}  // namespace abut
