#include <cstdio>

#include "abut/solvers/contact_solver.hpp"
#include "commands.hpp"

namespace abut::cli {

void add_models(CLI::App& app, int& code) {
  CLI::App* c = app.add_subcommand("models", "list contact models, normal laws and solvers");
  c->callback([&code] {
    std::puts("models (--model)");
    std::puts(
        "  sap            compliant contact, friction by projection on the cone; robust, "
        "creeps and glides with the step");
    std::puts(
        "  lagged         friction on the normal impulse of an instant before; consistent, "
        "does not glide");
    std::puts("  similar        strongly coupled friction; glides by h mu |v_t|");
    std::puts("normal laws (--law) of lagged and similar; sap always has kelvin-voigt");
    std::puts("  kelvin-voigt   k (x + tau_d xdot)");
    std::puts("  hunt-crossley  k x (1 + d xdot)");
    std::puts("  hertz          k x^(3/2) (1 + d xdot), stiffness in N/m^(3/2)");
    std::puts("solvers (--solver)");
    for (const std::string_view name : solver_names()) {
      std::printf("  %.*s\n", static_cast<int>(name.size()), name.data());
    }
    code = success;
  });
}

}  // namespace abut::cli
