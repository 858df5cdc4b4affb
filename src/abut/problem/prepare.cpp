#include "abut/problem/prepare.hpp"

namespace abut {

void prepare(ContactProblem& p) {
  p.islands.find(static_cast<int>(p.trees.size()), p.patches);
  invert_masses(p);
  ContactPool& c = p.contacts;
  const std::size_t n = c.size();
  for (auto* v : {&c.delassus, &c.normal_regularization, &c.tangential_regularization,
                  &c.lagged_impulse, &c.softness}) {
    v->resize(n);
  }
  p.scratch.resize(p.velocity.size());
  for (int i = 0; i < p.islands.size(); ++i) {
    const auto trees = p.islands.trees_of(i), patches = p.islands.patches_of(i);
    regularize(p, trees, patches);
    if (p.model == ContactModel::sap) continue;
    predict_impulses(p, trees, patches, p.scratch);
    soften(p, patches);
  }
}

}  // namespace abut
