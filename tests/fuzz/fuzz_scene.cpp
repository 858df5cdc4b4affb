// A scene file of abut is refused with a message, or gives a world whose success is finite.

#include "abut/core/error.hpp"
#include "abut/io/scene_file.hpp"
#include "fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace abut;
  const std::string path = write_input("scene.toml", data, size);
  try {
    SceneFile file = load_scene_file(path);
    if (file.scene.bodies.size() > 100) return 0;  // slow, and no different
    World world(std::move(file.scene), file.simulation.over({}));
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
