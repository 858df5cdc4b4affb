#include "abut/problem/body_mobilities.hpp"

#include <algorithm>

#include "abut/linalg/dense_spd.hpp"

namespace abut {

void BodyMobilities::find(const ContactProblem& p, const InverseMasses& masses) {
  if (p.bodies.empty()) return;
  is_point_.assign(p.bodies.size(), true);
  for (const Patch& patch : p.patches) {
    for (const int body : {patch.body_a, patch.body_b}) {
      for (int i = patch.begin; body >= 0 && i < patch.end; ++i) {
        if (!(p.contacts.point[i] == p.bodies[body].center)) is_point_[body] = false;
      }
    }
  }
  begin_.resize(p.bodies.size());
  mobilities_.resize(36 * p.bodies.size());
  std::int64_t end = 0;
  for (std::size_t b = 0; b < p.bodies.size(); ++b) {
    begin_[b] = end;
    end += 6 * std::int64_t{round_up_8(p.trees[p.bodies[b].tree].size)};
  }
  rows_.resize(static_cast<std::size_t>(end));
  for (std::size_t b = 0; b < p.bodies.size(); ++b) {
    const ContactBody& body = p.bodies[b];
    const int n = p.trees[body.tree].size, rows = is_point_[b] ? 3 : 6;
    double* own = rows_.data() + begin_[b];
    multiply_by_factor(rows, n, p.jacobians.data() + body.jacobian, masses.factor(p, body.tree),
                       own);
    multiply_rows(rows, rows, round_up_8(n), own, own, mobilities_.data() + 36 * b);
  }
}

void BodyMobilities::find_coupling(const ContactProblem& p, int body_a, int body_b,
                                   double coupling[36]) const {
  const int n = p.trees[p.bodies[body_a].tree].size;
  const auto rows = [&](int body) { return is_point_[body] ? 3 : 6; };
  std::fill_n(coupling, 36, 0.0);
  multiply_rows(rows(body_a), rows(body_b), round_up_8(n), rows_.data() + begin_[body_a],
                rows_.data() + begin_[body_b], coupling);
}

}  // namespace abut
