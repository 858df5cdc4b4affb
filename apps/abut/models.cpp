#include <cstdio>

#include "abut/solvers/contact_solver.hpp"
#include "commands.hpp"

namespace abut::cli {

void add_models(CLI::App& app, int& code) {
  CLI::App* c = app.add_subcommand("models", "list contact models, normal laws and solvers");
  c->callback([&code] {
    const auto print = [](const auto& values) {
      for (const auto value : values) {
        std::printf("  %-15s%s\n", std::string(traits(value).name).c_str(),
                    std::string(traits(value).description).c_str());
      }
    };
    std::puts("models (--model)");
    print(contact_models);
    std::puts("normal laws (--law) of lagged and similar; sap always has kelvin-voigt");
    print(normal_laws);
    std::puts("solvers (--solver)");
    for (const std::string_view name : solver_names()) {
      std::printf("  %.*s\n", static_cast<int>(name.size()), name.data());
    }
    code = success;
  });
}

}  // namespace abut::cli
