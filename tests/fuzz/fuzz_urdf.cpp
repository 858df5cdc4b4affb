// A robot's description is refused with a message, or gives a world whose success is finite.

#include <cmath>

#include "abut/core/error.hpp"
#include "abut/io/urdf.hpp"
#include "abut/sim/world.hpp"
#include "fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace abut;
  const std::string path = write_input("robot.urdf", data, size);
  try {
    World world(load_urdf(path, {.accept_inertia = size % 2 == 0}));
    for (int i = 0; i < 3; ++i) {
      const StepReport& r = world.step();
      if (r.solve.status != SolveStatus::converged) break;
      must(std::isfinite(r.solve.certificate.momentum_error), "success with a certificate of NaN");
      for (const double v : world.solution().velocity) {
        must(std::isfinite(v), "success with a velocity that is no number");
      }
    }
  } catch (const InputError& e) {
    must(e.what()[0] != '\0', "an empty message");
  } catch (const FileError& e) {
    must(e.what()[0] != '\0', "an empty message");
  }
  return 0;
}
