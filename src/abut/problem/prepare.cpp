#include "abut/problem/prepare.hpp"

#include "abut/core/grow.hpp"

namespace abut {

void prepare(ContactProblem& p) {
  require_one_patch_per_pair(p.patches);
  invert_masses(p);
  estimate_delassus(p);
  regularize_scalars(p);
  if (p.model != ContactModel::sap) predict_impulses(p);
  find_dormant(p);
  make_room(p.islands.patches, p.patches.capacity());
  p.islands.find(static_cast<int>(p.trees.size()), p.patches, p.scalars.tree);
  if (p.model == ContactModel::sap) regularize_normals(p);
}

}  // namespace abut
