#include "peers/wild_problem.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>

#include "support/model_case.hpp"
#include "support/random_problem.hpp"

namespace abut {

ContactProblem make_wild_problem(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto decades = [&](double low, double high) { return std::pow(10, uniform(low, high)); };
  const ModelCase& c = model_cases[seed % std::size(model_cases)];
  RandomProblem what{.model = c.model, .law = c.law};
  what.bodies = 1 + static_cast<int>(random() % 9);
  what.dense_trees = random() % 2 == 0 ? 0 : static_cast<int>(random() % 4);
  what.branches = seed % 3 == 0;
  what.scalars = what.dense_trees == 0 ? 0 : static_cast<int>(random() % 5);
  what.touch = uniform(0.1, 1);
  what.ground = uniform(0.1, 1);
  what.mass_spread = random() % 2 == 0 ? 0.5 : uniform(0.5, 4.5);
  what.stiffness = decades(3, 13);
  what.speed = decades(-3, 2);
  what.time_step = decades(-5, -1);
  what.dissipation = decades(-2, 2);
  if (seed % 4 == 3) what.links = 1 + static_cast<int>(seed / 4 % 6);
  what.mixed_laws = seed % 8 == 5;
  ContactProblem p = make_problem(random, what);
  p.friction = {};
  if (random() % 2 == 0) p.friction.beta = 0;
  // half of them with materials that differ from pair to pair
  const bool mixed = random() % 2 == 0;
  const double friction = decades(-2, 2), relaxation = random() % 2 == 0 ? 1e-4 : decades(-6, -1);
  for (const Patch& patch : p.patches) {
    const double k = mixed ? std::min(1e13, what.stiffness * decades(-3, 3)) : what.stiffness;
    const double mu = mixed ? decades(-2, 2) : friction;
    for (int i = patch.begin; i < patch.end; ++i) {
      p.contacts.stiffness[i] = k;
      if (p.contacts.friction[i] > 0) p.contacts.friction[i] = mu;
      p.contacts.relaxation_time[i] = relaxation;
    }
  }
  return p;
}

std::string model_name(const ContactProblem& p) {
  const std::string model(to_string(p.model));
  return p.model == ContactModel::sap ? model : model + " " + std::string(to_string(p.law));
}

double largest_stiffness(const ContactProblem& p) {
  const std::vector<double>& k = p.contacts.stiffness;
  return k.empty() ? 0 : *std::max_element(k.begin(), k.end());
}

}  // namespace abut
