// A robot's description is refused with a message, or gives a world whose success is finite.

#include "abut/io/urdf.hpp"
#include "fuzz/fuzz_world.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace abut;
  const std::string path = write_input("robot.urdf", data, size);
  must_refuse_or_pass([&] {
    World world(load_urdf(path, {.accept_inertia = size % 2 == 0}));
    must_step(world, [] {});
  });
  return 0;
}
