#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "abut/laws/law_kind.hpp"
#include "abut/linalg/block_matrix.hpp"
#include "abut/linalg/vec3.hpp"

namespace abut {

/// What rigid contact with friction is to satisfy, of impulses gamma and velocities sigma = W gamma
/// + g, with K = {|x_t| <= mu x_n} [CB 2-3].
enum class RigidModel : std::uint8_t {
  ncp,  ///< K contains gamma, perpendicular to sigma + mu |sigma_t| n in K*: Signorini, Coulomb
  ccp,  ///< K contains gamma, perpendicular to sigma in K*: convex, bodies that slide lift off
  /// The NCP with pyramids |x_t|_inf <= mu x_n for K, so that mu |sigma_t|_1 takes the place of mu
  /// |sigma_t| [CB III-A]: friction depends on the tangent axes.
  lcp,
  /// Signorini's condition and |gamma_t| <= mu gamma_n; a contact that bears and slips minimizes
  /// gamma.W_ii gamma/2 + gamma.g~ (g~: sigma without its own impulse) within K and sigma_n = 0 as
  /// gamma_i varies: sigma_t = -theta (gamma_t + mu^2 gamma_n W_nt / W_nn), theta > 0, |gamma_t| =
  /// mu gamma_n, W being W_ii [CB 23-24].
  raisim
};

/// All of them, in the order of their numbers; files and the command line know those listed here.
inline constexpr std::array rigid_models = {RigidModel::ncp, RigidModel::ccp, RigidModel::lcp,
                                            RigidModel::raisim};

struct RigidModelTraits {
  std::string_view name, description;
};
constexpr RigidModelTraits traits(RigidModel model) {
  switch (model) {
    case RigidModel::ncp:
      return {"ncp", "Signorini's condition and Coulomb's law, nothing relaxed"};
    case RigidModel::ccp:
      return {"ccp", "the convex relative of the NCP: bodies that slide lift off"};
    case RigidModel::lcp:
      return {"lcp", "the NCP with pyramids for cones: friction depends on the tangent axes"};
    case RigidModel::raisim:
      return {"raisim", "Signorini's condition, and friction not quite against the slip"};
  }
  return {};
}
constexpr std::string_view to_string(RigidModel model) {
  return traits(model).name;
}

/// The rigid model of contacts that the model of a step is; none of convex models.
constexpr std::optional<RigidModel> rigid_model(ContactModel model) {
  switch (model) {
    case ContactModel::ncp: return RigidModel::ncp;
    case ContactModel::ccp: return RigidModel::ccp;
    case ContactModel::lcp: return RigidModel::lcp;
    case ContactModel::raisim: return RigidModel::raisim;
    case ContactModel::sap:
    case ContactModel::lagged:
    case ContactModel::similar:
    case ContactModel::anchored: break;
  }
  return {};
}

/// Bounds of the impulses of three scalar constraints, such as joint limits and servos, which share
/// a block row: of each gamma lies in [lower, upper], and sigma is 0 between the bounds, >= 0 at
/// the lower and <= 0 at the upper one. Compliance is part of W's diagonal. Where a block has fewer
/// than three, the others have W_rr = 1, g = 0 and the bounds 0.
struct ImpulseBounds {
  Vec3 lower, upper;  ///< [N s or N m s]; infinite: no bound
};

/// The frictional contact problem in impulses: sigma = W gamma + g. W has a block row per contact,
/// then one for each three scalar constraints, and all vectors have an entry per block row. Those
/// of a contact are (t1, t2, n). W may be rank-deficient, and unsymmetric as far as its author's
/// rounding goes: it is taken as given.
struct FrictionProblem {
  BlockMatrix delassus;               ///< W [1/kg]
  std::vector<Vec3> velocity;         ///< g [m/s]: relative velocity without contact impulses
  std::vector<double> friction;       ///< mu [-], by contact
  std::vector<ImpulseBounds> bounds;  ///< of the block rows that follow the contacts
  double time_step = 1;               ///< h [s], by which criteria are of forces and accelerations

  int contacts() const { return static_cast<int>(friction.size()); }
  int rows() const { return delassus.rows(); }  ///< block rows
  /// Of a contact three times w_i = tr(W_ii)/3, of a row of scalar constraints W's diagonal [1/kg].
  Vec3 mobility(int row) const;
};

/// Throws InputError at the first number or size that makes no sense.
void validate(const FrictionProblem& problem);

/// Block rows that blocks of W link, however indirectly, as one problem each: by block row the
/// number of its island. Islands are numbered by their first rows.
std::vector<std::int32_t> islands_of(const FrictionProblem& problem);

}  // namespace abut
