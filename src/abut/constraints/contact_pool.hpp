#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "abut/laws/force_table.hpp"
#include "abut/laws/law_kind.hpp"
#include "abut/linalg/vec3.hpp"

namespace abut {

/// What a caller knows of one contact point. Vectors are in the contact's frame: world axes where
/// a rigid body takes part, any frame in which the Jacobians are given otherwise.
struct ContactPoint {
  Vec3 point{};                   ///< on both surfaces or halfway between [m], world
  Vec3 normal{0, 0, 1};           ///< unit, from A into B
  double gap = 0;                 ///< phi0 [m], negative in overlap; of a barrier that of its layer
  double weight = 1;              ///< multiplies the stiffness, or the table, of this point, > 0
  double stiffness = 1e7;         ///< k [N/m] (Hertz: N/m^(3/2))
  double dissipation = 10;        ///< d [s/m], Hunt & Crossley and Hertz
  double relaxation_time = 1e-4;  ///< tau_d [s], SAP and Kelvin-Voigt
  double friction = 0.5;          ///< mu [-]; of an ellipse the mean of both
  Vec3 bias{};                    ///< b [m/s]: contact velocity = J v + b
  Vec3 previous_impulse{};        ///< on B in the last step, where the contact persists [N s]
  Vec3 anchor{};                  ///< T0 on B [N]: the last step's ContactSolution::anchor,
                                  ///< of which what is across the normal counts (Anchored)
  std::optional<NormalLawKind> law{};         ///< its normal law, if not the problem's
  double anisotropy = 0;                      ///< delta, 0 to 1: mu (1 + delta) along the axis,
                                              ///< and mu (1 - delta) across it [-]
  Vec3 friction_axis{};                       ///< t: unit, across n, if delta is not 0
  std::shared_ptr<const ForceTable> table{};  ///< Tabulated: its forces; without one a line of k
  double thickness = 1e-3;                    ///< d_hat [m] of a barrier's layer: touch is at
                                              ///< phi = -d_hat
};

/// Of a ContactPoint what few have.
struct ContactExtras {
  double anisotropy = ContactPoint{}.anisotropy;
  Vec3 friction_axis{};
  std::shared_ptr<const ForceTable> table{};
  double thickness = ContactPoint{}.thickness;

  bool operator==(const ContactExtras&) const = default;
};
inline const ContactExtras no_extras;

/// All contact points of a problem as parallel arrays, patch after patch.
struct ContactPool {
  std::vector<Vec3> point, normal, bias, previous_impulse, anchor;
  std::vector<double> gap, weight, stiffness, dissipation, relaxation_time, friction;
  std::vector<std::optional<NormalLawKind>> law;
  std::vector<std::int32_t> extra;  ///< by contact: its place in `extras`, -1 if it has none
  std::vector<ContactExtras> extras;
  /// By contact: the name of what move() leaves as it is, given by set()'s caller; 0 if there is
  /// none. Who changes that otherwise makes it 0.
  std::vector<std::int32_t> kind;

  const ContactExtras& extras_of(int contact) const {
    return extra[contact] < 0 ? no_extras : extras[extra[contact]];
  }
  double anisotropy(int contact) const {
    return extra[contact] < 0 ? 0 : extras[extra[contact]].anisotropy;
  }
  const Vec3& friction_axis(int contact) const { return extras_of(contact).friction_axis; }
  const ForceTable* table(int contact) const { return extras_of(contact).table.get(); }
  double thickness(int contact) const { return extras_of(contact).thickness; }

  /// A contact's own, to be changed.
  ContactExtras& own_extras(int contact);

  int size() const { return static_cast<int>(gap.size()); }
  void clear();
  void reserve(int contacts);
  void push_back(const ContactPoint& contact);
  /// Those that it adds are to be set.
  void resize(int contacts);
  /// All of a contact but its extras, of which it has none then. What seldom changes from step to
  /// step is written only where it does: other threads keep in their caches what they read.
  void set(int contact, const ContactPoint& to, int its_kind = 0);
  /// Of a contact what changes in each step. The rest is that of its kind.
  void move(int contact, const Vec3& to, const Vec3& its_normal, double its_gap, double its_weight,
            const Vec3& impulse) {
    point[contact] = to;
    normal[contact] = its_normal;
    gap[contact] = its_gap;
    if (weight[contact] != its_weight) weight[contact] = its_weight;
    previous_impulse[contact] = impulse;
  }
};

}  // namespace abut
