// random_controls FILE.xml ...: 10 s of random controls, new ones every 20 ms within their ranges
// (else within 1). Prints the steps that did not converge, and the most that the energy rose beyond
// the actuators' work, in units of the larger of that work, taken positive step by step, and the
// weight raised by 1 m: below 1 % a model is sane. Actuators' work is force times velocity at each
// step's end, which for a stiff servo is less than it did.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <random>

#include "abut/io/mjcf.hpp"
#include "abut/sim/world.hpp"

namespace {

using namespace abut;

void control(World& world, std::mt19937& random) {
  for (int a = 0; a < world.actuators(); ++a) {
    const SceneActuator& s = world.scene().actuators[a];
    const double lower = s.control_limited ? s.lower_control : -1,
                 upper = s.control_limited ? s.upper_control : 1;
    world.set_control(a, std::uniform_real_distribution<double>(lower, upper)(random));
  }
}

void run(const char* path) {
  World world(load_mjcf(path));
  const Scene& scene = world.scene();
  double mass = 0;
  for (const SceneBody& b : scene.bodies) mass += b.kind == BodyKind::fixed ? 0 : b.mass;
  const auto energy = [&] { return world.kinetic_energy() + world.potential_energy(); };
  const double h = world.time_step(), start = energy();
  const int steps = static_cast<int>(10 / h), every = std::max(1, static_cast<int>(0.02 / h));
  std::mt19937 random(1);
  double work = 0, gross = 0, excess = -HUGE_VAL;
  int failed = 0;
  for (int i = 0; i < steps; ++i) {
    if (i % every == 0) control(world, random);
    failed += world.step().solve.status != SolveStatus::converged;
    for (int a = 0; a < world.actuators(); ++a) {
      const double done = world.actuator_state(a).force * world.actuator_state(a).velocity * h;
      work += done, gross += std::abs(done);
    }
    excess = std::fmax(excess, energy() - start - work);
  }
  const double unit = std::fmax(gross, mass * norm(scene.gravity));
  std::printf("%s: %d steps failed, energy %+.2g %%\n", path, failed,
              unit > 0 ? 100 * excess / unit : 0);
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    try {
      run(argv[i]);
    } catch (const std::exception& e) {
      std::printf("%s: %s\n", argv[i], e.what());
    }
    std::fflush(stdout);
  }
}
