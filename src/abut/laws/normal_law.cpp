#include "abut/laws/normal_law.hpp"

#include <cmath>

namespace abut {

void PointMaterial::validate(const Origin& at) const {
  require(stiffness > 0 && std::isfinite(stiffness), "stiffness", stiffness, "N/m",
          "must be positive and finite", at);
  require(dissipation >= 0 && std::isfinite(dissipation), "dissipation", dissipation, "s/m",
          "must not be negative", at);
  require(relaxation_time >= 0 && std::isfinite(relaxation_time), "relaxation_time",
          relaxation_time, "s", "must not be negative", at);
  require(thickness >= 1e-12 && thickness <= 1e6, "thickness", thickness, "m",
          "must lie in [1e-12, 1e6]", at);
}

}  // namespace abut
