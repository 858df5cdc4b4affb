// A recording is refused with a message, or every step and state it says it has can be read.

#include <filesystem>

#include "abut/core/error.hpp"
#include "abut/io/recording.hpp"
#include "abut/io/recording_csv.hpp"
#include "fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace abut;
  const std::string path = write_input("recording.bin", data, size);
  try {
    const Recording r = Recording::open(path);
    RecordedState state;
    for (std::size_t i = 0; i < r.states(); ++i) r.read_state(i, state);
    export_csv(r, std::filesystem::path(path).parent_path().string());
  } catch (const InputError& e) {
    must(e.what()[0] != '\0', "an empty message");
  } catch (const FileError& e) {
    must(e.what()[0] != '\0', "an empty message");
  }
  return 0;
}
