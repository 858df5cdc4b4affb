// A scene file of abut is refused with a message, or gives a world whose success is finite.

#include "abut/io/scene_file.hpp"
#include "fuzz/fuzz_world.hpp"

namespace {

/// What scene files of the corpus refer to, beside them.
void write_models() {
  const auto write = [](const char* name, std::string_view text) {
    abut::write_input(name, reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  };
  write("arm.xml",
        "<mujoco><worldbody><body><joint name='a'/><geom size='0.1' fromto='0 0 0 1 0 0' "
        "type='capsule'/></body></worldbody><actuator><motor name='m' joint='a' ctrlrange='-1 1' "
        "ctrllimited='true'/></actuator></mujoco>");
  write("walk.csv", "time,a\n0,0\n1,2\n");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace abut;
  static const bool written = (write_models(), true);
  must(written, "no models");
  const std::string path = write_input("scene.toml", data, size);
  must_refuse_or_pass([&] {
    SceneFile file = load_scene_file(path);
    if (file.scene.bodies.size() > 100) return;  // slow, and no different
    World world(std::move(file.scene), file.simulation.over({}));
    must_step(world, [&] { update_controls(file.controllers, world); });
  });
  return 0;
}
