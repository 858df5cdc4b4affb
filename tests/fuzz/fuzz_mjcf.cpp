// A scene file is refused with a message, or gives a world whose success is finite.

#include "abut/io/mjcf.hpp"
#include "fuzz/fuzz_world.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace abut;
  const std::string path = write_input("scene.xml", data, size);
  must_refuse_or_pass([&] {
    Scene scene = load_mjcf(path);
    if (scene.bodies.size() > 100) return;  // slow, and no different
    World world(std::move(scene));
    must_step(world, [] {});
  });
  return 0;
}
