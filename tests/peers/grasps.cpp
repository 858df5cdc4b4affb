// grasps [--list]: boxes held by friction, pressed by a servo, a motor, a spring, a weld, a limit
// (support/grasp.hpp): all models, mu of 0.2 to 1, steps of 1, 2 and 10 ms. What the friction limit
// allows must hold for 3 s but for its creep; beyond it slips as the closed form says. Then the
// gripper of the examples with each mu. Prints tables in Markdown; --list names every failure.
//
// Exits with 1 if something that should hold does not, or slips by other than 2 % of what it
// should.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <string>

#include "abut/io/scene_file.hpp"
#include "support/grasp.hpp"

namespace {

using namespace abut;

constexpr double frictions[] = {0.2, 0.4, 0.6, 0.8, 1};
constexpr double steps[] = {1e-3, 2e-3, 1e-2};
constexpr double loads[] = {0.1, 0.5, 0.9, 1.1, 1.5};

/// The worst of a row of the table at one load.
struct Cell {
  double way = 0, creep = 0;  ///< of the longest way
  double deviation = 0;       ///< of the speed
  int failed = 0;
};

Cell measure(Press press, ContactModel model, double load, bool list) {
  Cell cell;
  for (const double mu : frictions) {
    for (const double h : steps) {
      const Grasp grasp{press, model, mu, load, h};
      const GraspResult r = run_grasp(grasp);
      const bool fine = load < 1 ? holds(grasp, r) : slips(r);
      cell.failed += !fine;
      if (!(std::abs(r.way) <= cell.way)) cell.way = std::abs(r.way), cell.creep = r.creep;
      const double deviation = r.speed / r.exact_speed - 1;
      if (load > 1 && !(std::abs(deviation) <= std::abs(cell.deviation))) {
        cell.deviation = deviation;
      }
      if (list && (!fine || r.not_converged > 0)) {
        std::printf(
            "%s, %s, mu %g, load %g, %g ms: %.4g mm, creep %.4g mm, %.4g m/s, closed form "
            "%.4g m/s, %d steps did not converge%s\n",
            std::string(to_string(press)).c_str(), std::string(to_string(model)).c_str(), mu, load,
            1e3 * h, 1e3 * r.way, 1e3 * r.creep, r.speed, r.exact_speed, r.not_converged,
            fine ? "" : ": FAILS");
      }
    }
  }
  return cell;
}

int grasps(bool list) {
  int failed = 0;
  std::string table =
      "| pressed by | model | way at 0.1 (creep) [mm] | at 0.5 | at 0.9 | speed at 1.1 | at 1.5 | "
      "fail |\n|---|---|---|---|---|---|---|---|\n";
  char text[100];
  for (const Press press : presses) {
    for (const ContactModel model : convex_models) {
      table.append("| ")
          .append(to_string(press))
          .append(" | ")
          .append(to_string(model))
          .append(" |");
      int row_failed = 0;
      for (const double load : loads) {
        const Cell cell = measure(press, model, load, list);
        if (load < 1) {
          std::snprintf(text, sizeof text, " %.3g (%.3g) |", 1e3 * cell.way, 1e3 * cell.creep);
        } else {
          std::snprintf(text, sizeof text, " %+.2f %% |", 100 * cell.deviation);
        }
        table += text;
        row_failed += cell.failed;
      }
      const std::size_t runs = std::size(loads) * std::size(frictions) * std::size(steps);
      std::snprintf(text, sizeof text, " %d of %zu |\n", row_failed, runs);
      table += text;
      failed += row_failed;
    }
  }
  std::printf("%s\n", table.c_str());
  return failed;
}

/// Heights of the box after 3 s; it is lifted to 0.23 m.
int gripper() {
  int failed = 0;
  std::printf("| gripper.toml | mu 0.2 | 0.3 | 0.4 | 0.6 | 0.8 |\n|---|---|---|---|---|---|\n");
  for (const ContactModel model : convex_models) {
    std::printf("| %s |", std::string(to_string(model)).c_str());
    for (const double mu : {0.2, 0.3, 0.4, 0.6, 0.8}) {
      const double height = gripper_height(ABUT_EXAMPLES "/gripper.toml", model, mu);
      failed += !(height > 0.228);
      std::printf(" %.4f |", height);
    }
    std::printf("\n");
  }
  return failed;
}

}  // namespace

int main(int argc, char** argv) {
  const bool list = argc == 2 && std::strcmp(argv[1], "--list") == 0;
  if (argc > 1 && !list) {
    std::fprintf(stderr, "grasps: what is '%s'? See the head of grasps.cpp\n", argv[1]);
    return 2;
  }
  const int failed = grasps(list) + gripper();
  std::printf("\n%d failures\n", failed);
  return failed > 0;
}
