#include "abut/sim/contact_budget.hpp"

#include <algorithm>
#include <cmath>

#include "abut/laws/elasticity.hpp"

namespace abut {

/// The springs of a pair's contacts, seen as if their gaps were larger by some depth.
class BudgetSpender::Springs {
 public:
  Springs(const BudgetSpender& of, int begin, int end)
      : problem_(of.problem_),
        contacts_(of.problem_.problem().contacts),
        has_own_law_(of.has_own_law_),
        begin_(begin),
        end_(end) {}

  double depth() const {
    double deepest = 0;
    for (int i = begin_; i < end_; ++i) deepest = std::max(deepest, -contacts_.gap[i]);
    return deepest;
  }

  /// Their energy, and by how much it falls per depth allowed.
  struct State {
    double energy = 0, force = 0;
  };
  State state(double allowed) const {
    State s;
    if (has_own_law_) {                      // a line, whatever the contact's law
      for (int i = begin_; i < end_; ++i) {  // no branches: they are not predictable
        const double x = std::max(-contacts_.gap[i] - allowed, 0.0);
        const double force = spring_stiffness(problem_, i) * x;
        s.force += force;
        s.energy += 0.5 * force * x;
      }
      return s;
    }
    for (int i = begin_; i < end_; ++i) {
      const double x = -contacts_.gap[i] - allowed;
      if (x <= 0) continue;
      const Elasticity spring = spring_of(problem_, i);
      s.force += spring.force(x);
      s.energy += spring.energy(x);
    }
    return s;
  }
  double energy(double allowed) const { return state(allowed).energy; }

  /// The least depth allowed, at least `from`, with which they hold no more than `most`, and what
  /// they hold then. Newton's method climbs to it: the energy is convex.
  struct Allowance {
    double allowed = 0, energy = 0;
  };
  Allowance allowance(double most, double from, double depth) const {
    double allowed = from;
    for (int i = 0; i < 60; ++i) {
      const State s = state(allowed);
      if (s.energy <= most * (1 + 1e-9)) return {allowed, s.energy};
      allowed += (s.energy - most) / s.force;
      if (depth - allowed <= 1e-9 * depth) break;
    }
    return {depth, 0};
  }

 private:
  const PreparedProblem& problem_;
  const ContactPool& contacts_;
  bool has_own_law_;
  int begin_, end_;
};

SpentBudget BudgetSpender::spend(ContactBudget b, const BudgetScale& scale, int begin, int end) {
  using From = ContactBudget::Origin;
  constexpr double spare = 1.1;  // of what is stored: rounding and slight bends do not count
  constexpr double held_share = 0.1;
  if (begin == end) return {};
  const Springs springs(*this, begin, end);
  const double depth = springs.depth();
  if (depth == 0) return {{.energy = 0, .allowed = 0, .origin = From::motion}};
  const double h = problem_.problem().time_step, held_speed = held_share * scale.speed;
  if (b.origin == From::none) {
    const double stored = springs.energy(0);
    b = {.energy = stored <= scale.energy ? stored : 0,
         .allowed = 0,
         .origin = depth > 2 * scale.way ? From::start : From::motion};
  } else if (b.allowed > 0) {
    const double last = std::min(b.allowed, depth), stored = springs.energy(last);
    double next = stored > scale.energy ? last : last - h * held_speed;
    next = std::max(std::min(next, depth - h * scale.speed), 0.0);
    if (next < last) b.energy += springs.energy(next) - stored;
    b.allowed = next;
  }
  const auto [allowed, stored] = springs.allowance(b.energy, b.allowed, depth);
  b.allowed = allowed;
  b.energy = std::min(b.energy, spare * stored);
  if (allowed > 0) {
    for (int i = begin; i < end; ++i) problem_.allow(i, allowed);
  } else {
    b.origin = From::motion;
  }
  return {b, stored, std::max(depth - allowed, 0.0)};
}

}  // namespace abut
