// slides: the error of the deceleration of bodies that slide, roll and spin (support/slide.hpp), at
// 1, 20 and 300 m/s and steps of 1e-7 to 1e-1 s, with the default tolerance. Tables in Markdown.
//
// Exits with 1 if one is off by more than 1e-4.

#include <cmath>
#include <cstdio>
#include <string>

#include "support/slide.hpp"

int main() {
  using namespace abut;
  constexpr double steps[] = {1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1};
  int failed = 0;
  std::printf("| | m/s |");
  for (const double h : steps) std::printf(" %.0e s |", h);
  std::printf("\n|---|---|---|---|---|---|---|---|---|\n");
  for (const ContactModel model : convex_models) {
    for (const Slide slide : slides) {
      for (const double speed : {1.0, 20.0, 300.0}) {
        std::printf("| %s, %s | %g |", std::string(to_string(slide)).c_str(),
                    std::string(to_string(model)).c_str(), speed);
        for (const double h : steps) {
          const double error = slide_error(slide, model, speed, h);
          std::isnan(error) ? std::printf(" |") : std::printf(" %.0e |", error);
          failed += std::abs(error) > 1e-4;
        }
        std::printf("\n");
      }
    }
  }
  std::printf("\n%d off by more than 1e-4\n", failed);
  return failed > 0;
}
