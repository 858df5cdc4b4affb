// world_consumer SCENE: loads a scene and takes ten steps; 0 if every one converged.

#include <cstdio>

#include "abut/io/mjcf.hpp"
#include "abut/sim/world.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  abut::World world(abut::load_mjcf(argv[1]));
  for (int i = 0; i < 10; ++i) {
    if (world.step().solve.status != abut::SolveStatus::converged) return 1;
  }
  std::printf("%llu steps\n", static_cast<unsigned long long>(world.steps()));
}
