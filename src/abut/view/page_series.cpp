#include "abut/view/page_series.hpp"

namespace abut {

std::span<const PageSeries> page_series() {
  using Step = const RecordedStep&;
  static constexpr PageSeries series[] = {
      {"kinetic_energy", "kinetic", "J", "energy", false, false,
       [](Step s) { return s.kinetic_energy; }},
      {"potential_energy", "potential", "J", "energy", false, false,
       [](Step s) { return s.potential_energy; }},
      {"total_energy", "total", "J", "energy", false, false,
       [](Step s) { return s.kinetic_energy + s.potential_energy; }},
      {"contacts", "contacts", "", "contacts", false, true,
       [](Step s) { return double(s.contacts); }},
      {"penetration", "penetration", "mm", "penetration", false, true,
       [](Step s) { return 1e3 * s.penetration; }},
      {"iterations", "iterations", "", "iterations", false, true,
       [](Step s) { return double(s.iterations); }},
      {"step_error", "step", "", "certificate", true, true,
       [](Step s) { return s.certificate.step_error; }},
      {"impulse_error", "impulse", "", "certificate", true, true,
       [](Step s) { return s.certificate.impulse_error; }},
      {"lag_error", "friction's lag", "", "certificate", true, true,
       [](Step s) { return s.certificate.lag_error; }},
  };
  return series;
}

}  // namespace abut
