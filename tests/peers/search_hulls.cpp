// Random placements of hulls against an independent search (tests/geometry/hull_search.hpp):
//     search_hulls [PLACEMENTS_PER_KIND [MOST_VERTICES [SEED]]]
// By default 15,000 of hulls of 10 to 5000 vertices with each kind of shape, 105,000 in all, which
// takes hours; fails where a search finds a gap larger by 1e-7 of the size, or where the deepest
// point is off by as much.

#include "geometry/hull_search.hpp"
#include "support/number_argument.hpp"

int main(int argc, char** argv) {
  using namespace abut;
  const int count = argc > 1 ? number_argument<int>(argv[1]) : 15000,
            most = argc > 2 ? number_argument<int>(argv[2]) : 5000;
  const unsigned seed = argc > 3 ? number_argument<unsigned>(argv[3]) : 1;
  bool good = true;
  for (const ShapeKind kind :
       {ShapeKind::plane, ShapeKind::sphere, ShapeKind::capsule, ShapeKind::cylinder,
        ShapeKind::box, ShapeKind::ellipsoid, ShapeKind::hull}) {
    const HullSearch s = search_hulls(kind, count, most, 10 * seed + static_cast<unsigned>(kind));
    std::printf("%-9s %d placements, %d overlap: lost %.1e, deepest point off by %.1e\n",
                to_string(kind), count, s.overlapping, s.lost, s.own);
    if (s.lost > 1e-7) good = false, std::printf("  lost at %s\n", s.worst.c_str());
    if (s.own > 1e-7) good = false, std::printf("  off at %s\n", s.worst_own.c_str());
    std::fflush(stdout);
  }
  return good ? 0 : 1;
}
