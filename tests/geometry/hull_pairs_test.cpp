#include <gtest/gtest.h>

#include "hull_search.hpp"

// Hulls against an independent search (hull_search.hpp).

namespace abut {
namespace {

constexpr ShapeKind partners[] = {ShapeKind::plane,    ShapeKind::sphere, ShapeKind::capsule,
                                  ShapeKind::cylinder, ShapeKind::box,    ShapeKind::ellipsoid,
                                  ShapeKind::hull};

TEST(HullPairs, NoDirectionHasALargerGapAndTheDeepestPointHasIt) {
  for (const ShapeKind kind : partners) {
    const HullSearch s = search_hulls(kind, 100, 100, 1 + static_cast<unsigned>(kind));
    std::printf("%-9s lost %8.1e own %8.1e overlapping %d\n", to_string(kind), s.lost, s.own,
                s.overlapping);
    EXPECT_LT(s.lost, 1e-7) << s.worst;
    EXPECT_LT(s.own, 1e-7) << s.worst_own;
  }
}

}  // namespace
}  // namespace abut
