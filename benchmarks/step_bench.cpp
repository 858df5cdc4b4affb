// Steps a scene without recording and prints what it cost as one line of JSON:
//     step_bench SCENE MODEL DT DURATION [THREADS [AFTER [CONTROL]]]
// SCENE is a model file, or a scene file, whose controllers act. It starts from the scene's first
// keyframe if there is one, and first steps AFTER seconds that do not count. CONTROL, from 0 to 1,
// is the place of all controls between their limits. All pairs are stiff; but DT of 0 takes the
// scene's own step and materials, and goes the same way again and again for 0.2 s: the median of
// these runs counts, so that small scenes are in the cache. The clock runs over steps alone; what
// they report, and the times of their stages, are those of a second world, which goes the same way.

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "abut/core/isa.hpp"
#include "abut/io/scene_file.hpp"
#include "abut/sim/statistics.hpp"
#include "abut/sim/world.hpp"
#include "abut/solvers/primal/contact_kernels.hpp"
#include "bench_main.hpp"
#include "support/allocation_counter.hpp"
#include "support/number_argument.hpp"

namespace {

using namespace abut;

struct Totals {
  Statistics run;
  std::uint64_t allocations_first_half = 0, allocations_last_half = 0;
};

/// Seconds.
double run(World& world, std::span<const Controller> controllers, std::uint64_t steps) {
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < steps; ++i) {
    update_controls(controllers, world);
    world.step();
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The median of runs from where the world is.
double run_repeatedly(World& world, std::span<const Controller> controllers, std::uint64_t steps) {
  const Snapshot start = world.snapshot();
  std::vector<double> runs;
  for (double spent = 0; spent < 0.2 || runs.size() < 3; spent += runs.back()) {
    world.restore(start);
    runs.push_back(run(world, controllers, steps));
  }
  const auto middle = runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2);
  std::ranges::nth_element(runs, middle);
  return *middle;
}

/// Of a run that may take longer.
Totals run_observed(World& world, std::span<const Controller> controllers, std::uint64_t steps) {
  Totals totals;
  for (std::uint64_t i = 0; i < steps; ++i) {
    const std::uint64_t before = allocation_count();
    update_controls(controllers, world);
    totals.run.add(world.step(), i + 1);
    const std::uint64_t made = allocation_count() - before;
    (2 * i < steps ? totals.allocations_first_half : totals.allocations_last_half) += made;
  }
  return totals;
}

void set_controls(World& world, double place) {
  const auto& actuators = world.scene().actuators;
  for (std::size_t i = 0; i < actuators.size(); ++i) {
    const auto& a = actuators[i];
    if (!a.control_limited) continue;
    world.set_control(static_cast<int>(i),
                      a.lower_control + place * (a.upper_control - a.lower_control));
  }
}

int bench(int argc, char** argv) {
  if (argc < 5 || argc > 8) {
    std::fprintf(stderr, "usage: step_bench SCENE MODEL DT DURATION [THREADS [AFTER [CONTROL]]]\n");
    return 2;
  }
  WorldOptions options;
  options.model = model_argument(argv[2]);
  const double dt = number_argument(argv[3]);
  if (dt != 0) {
    options.time_step = dt;
    options.pair.stiffness = 1e7;
    options.pair.dissipation = 10;
    options.pair.relaxation_time = 1e-4;
  }
  options.threads = argc > 5 ? number_argument<int>(argv[5]) : 1;
  const SceneFile file = load_scene_file(argv[1]);
  World world(file.scene, options);
  options.timed = true;
  World observed(file.scene, options);
  const auto count = [&](const char* seconds) {
    return static_cast<std::uint64_t>(number_argument(seconds) / world.time_step() + 0.5);
  };
  const std::uint64_t steps = count(argv[4]);
  for (World* w : {&world, &observed}) {
    if (!w->scene().keyframes.empty()) w->set_keyframe(0);
    if (argc > 7) set_controls(*w, number_argument(argv[7]));
    if (argc > 6) run(*w, file.controllers, count(argv[6]));
  }
  const double wall = dt != 0 ? run(world, file.controllers, steps)
                              : run_repeatedly(world, file.controllers, steps);
  if (dt == 0) {  // in the cache, too
    const Snapshot start = observed.snapshot();
    run(observed, file.controllers, steps);
    observed.restore(start);
  }
  const Totals totals = run_observed(observed, file.controllers, steps);
  if (observed.state_hash() != world.state_hash()) {
    std::fprintf(stderr, "step_bench: two runs of the same scene end in other states\n");
    return 1;
  }
  const Statistics& t = totals.run;
  const StageTimes& time = t.time;
  const double n = static_cast<double>(steps), us = 1e6 / n;
  // of one pass over all that a solver keeps of a contact, once an iteration
  const double contact_bytes = sizeof(double) * static_cast<double>(ContactField::count);
  std::printf(
      "{\"bodies\": %d, \"nv\": %d, \"model\": \"%s\", \"dt\": %g, \"isa\": \"%s\", \"threads\": "
      "%d, "
      "\"us_per_step\": %.2f, \"query\": %.2f, \"problem\": %.2f, \"solve\": %.2f, "
      "\"rest\": %.2f, \"iterations\": %.3f, \"iterations_max\": %d, "
      "\"factorizations\": %.2f, \"factor_flops\": %.0f, \"pass_bytes\": %.0f, \"contacts\": %.1f, "
      "\"contacts_max\": %d, "
      "\"certificate_max\": %.2e, \"failed_steps\": %" PRIu64
      ", \"lag_rounds\": %.2f, \"lag_error_max\": %.2e, \"lagging_steps\": %" PRIu64
      ", \"penetration_max\": %.3e, \"overlaps\": %d"
      ", \"allocations_first_half\": %" PRIu64 ", \"allocations_last_half\": %" PRIu64
      ", \"state_hash\": \"%016" PRIx64 "\"}\n",
      world.moving_bodies(), world.dofs(), argv[2], world.time_step(),
      std::string(to_string(active_isa())).c_str(), options.threads, us * wall,
      us * time.contact_query, us * time.problem, us * time.solve, us * time.rest,
      t.iterations_mean(), t.iterations_max, static_cast<double>(t.factorizations) / n,
      t.factor_flops / n, contact_bytes * t.iterations / n, t.contacts_mean(), t.contacts_max,
      t.certificate_max, steps - t.by_status[0], static_cast<double>(t.lag_rounds) / n,
      t.lag_error_max, t.lagging_steps, t.penetration_max, t.overlaps_max,
      totals.allocations_first_half, totals.allocations_last_half, world.state_hash());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return abut::run_bench("step_bench", bench, argc, argv);
}
