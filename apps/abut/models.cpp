#include <cstdio>
#include <memory>
#include <string>

#include "abut/solvers/contact_solver.hpp"
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
    std::puts("normal laws (--law) of convex models without their own");
    for (const NormalLawKind law : normal_laws) print(law);
    std::puts("stepping schemes (--scheme)");
    for (const SteppingScheme scheme : stepping_schemes) print(scheme);
    std::puts("solvers (--solver), the first of a model its default");
    for (const std::string_view name : solver_names()) {
      const auto solver = make_solver(name);
      std::string models;
      for (const ContactModel model : contact_models) {
        if (!solver->supports(model)) continue;
        models.append(models.empty() ? "" : ", ").append(to_string(model));
      }
      std::printf("  %-24s%s\n", std::string(name).c_str(), models.c_str());
    }
    code = success;
  });
}

}  // namespace abut::cli
