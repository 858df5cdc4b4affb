#include "abut/core/isa.hpp"

#include <cstdlib>
#include <string>

#include "abut/core/error.hpp"

namespace abut {
namespace {

bool is_supported(Isa isa) {
  switch (isa) {
    case Isa::baseline: return true;
#if defined(ABUT_HAS_ISA_avx2)
    case Isa::avx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
             __builtin_cpu_supports("bmi2");
#endif
#if defined(ABUT_HAS_ISA_avx512)
    case Isa::avx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512cd");
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
