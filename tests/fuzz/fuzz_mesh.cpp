// The bytes as a mesh of each format: corners that are finite, or a message.

#include "abut/core/error.hpp"
#include "abut/io/mesh_file.hpp"
#include "fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace abut;
  for (const char* name : {"mesh.stl", "mesh.obj", "mesh.dae"}) {
    const std::string path = write_input(name, data, size);
    try {
      for (const Vec3& corner : read_mesh_points(path)) must(is_finite(corner), "no number");
    } catch (const InputError& e) {
      must(e.what()[0] != '\0', "an empty message");
    } catch (const FileError& e) {
      must(e.what()[0] != '\0', "an empty message");
    }
  }
  return 0;
}
