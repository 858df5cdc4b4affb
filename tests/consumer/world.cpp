// world_consumer SCENE: loads a scene, takes 100 steps of 2 ms and prints what state they led to; 0
// if every one converged.

#include <cstdio>

#include "abut/io/mjcf.hpp"
#include "abut/sim/world.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  abut::WorldOptions options;
  options.time_step = 2e-3;
  abut::World world(abut::load_mjcf(argv[1]), options);
  for (int i = 0; i < 100; ++i) {
    if (world.step().solve.status != abut::SolveStatus::converged) return 1;
  }
  std::printf("state hash   %016llx\n", static_cast<unsigned long long>(world.state_hash()));
}
