#include <cstdio>
#include <span>

#include "abut/solvers/contact_solver.hpp"
#include "abut/solvers/dual/friction_solver.hpp"
#include "abut/trees/stepping_scheme.hpp"
#include "commands.hpp"

namespace abut::cli {

void add_models(CLI::App& app, int& code) {
  CLI::App* c = app.add_subcommand(
      "models", "list contact models, normal laws, stepping schemes and solvers");
  c->callback([&code] {
    const auto print = [](const auto value, const std::string& remark = "") {
      std::printf("  %-18s%s%s\n", std::string(traits(value).name).c_str(),
                  std::string(traits(value).description).c_str(), remark.c_str());
    };
    std::puts("models (--model)");
    for (const ContactModel model : contact_models) {
      const std::string own(to_string(effective_law(model, normal_laws.front())));
      print(model, traits(model).has_own_law ? "; its law is " + own : "");
    }
    std::puts("normal laws (--law) of models without their own");
    for (const NormalLawKind law : normal_laws) print(law);
    std::puts("stepping schemes (--scheme)");
    for (const SteppingScheme scheme : stepping_schemes) print(scheme);
    const auto print_names = [](const char* title, std::span<const std::string_view> names) {
      std::puts(title);
      for (const std::string_view name : names) {
        std::printf("  %.*s\n", static_cast<int>(name.size()), name.data());
      }
    };
    print_names("solvers (--solver)", solver_names());
    std::puts("rigid models (abut solve --model)");
    for (const RigidModel model : rigid_models) print(model);
    print_names("their solvers (abut solve --solver)", friction_solver_names());
    code = success;
  });
}

}  // namespace abut::cli
