// Runs a fuzz target without libFuzzer:
//     fuzz_x CORPUS_DIRECTORY [RUNS [SEED [FLIPS]]]
// First every file of the corpus, then RUNS random changes of them. With FLIPS each file is also
// cut short everywhere, and changed in one byte so many times. The input at hand lies in a
// temporary file until the next one: after a crash it is the culprit.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "fuzz/fuzz_target.hpp"
#include "support/number_argument.hpp"

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Flips, cuts, repeats and splices, a few at a time.
class Mutator {
 public:
  Mutator(std::vector<Bytes> corpus, unsigned seed) : corpus_(std::move(corpus)), random_(seed) {}

  Bytes next() {
    Bytes b = corpus_[below(corpus_.size())];
    for (std::size_t k = 1 + below(4); k > 0 && !b.empty(); --k) change(b);
    return b;
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  void change(Bytes& b) {
    const std::size_t at = below(b.size()),
                      length = below(std::min<std::size_t>(64, b.size() - at)) + 1;
    const auto begin = b.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(length, b.size() - at));
    switch (below(7)) {
      case 0: *begin ^= static_cast<std::uint8_t>(1u << below(8)); break;
      case 1: *begin = static_cast<std::uint8_t>(random_()); break;
      case 2: b.erase(begin, end); break;
      case 3: {
        const Bytes part(begin, end);
        b.insert(begin, part.begin(), part.end());
        break;
      }
      case 4: b.resize(at); break;
      case 5: std::fill(begin, end, static_cast<std::uint8_t>(below(2) * 255)); break;
      case 6: {
        const Bytes& other = corpus_[below(corpus_.size())];
        if (other.empty()) break;
        const std::size_t from = below(other.size()), n = std::min(length, other.size() - from);
        const Bytes part(other.begin() + static_cast<std::ptrdiff_t>(from),
                         other.begin() + static_cast<std::ptrdiff_t>(from + n));
        b.insert(begin, part.begin(), part.end());
        break;
      }
    }
  }

  std::vector<Bytes> corpus_;
  std::mt19937 random_;
};

/// Every beginning of each file, and each with one byte changed, `flips` times.
void run_prefixes_and_flips(const std::vector<Bytes>& corpus, long flips, unsigned seed) {
  std::mt19937 random(seed);
  for (const Bytes& file : corpus) {
    for (std::size_t n = 0; n < file.size(); ++n) LLVMFuzzerTestOneInput(file.data(), n);
    for (long i = 0; i < flips && !file.empty(); ++i) {
      Bytes b = file;
      b[random() % b.size()] = static_cast<std::uint8_t>(random());
      LLVMFuzzerTestOneInput(b.data(), b.size());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 5) {
    std::fprintf(stderr, "usage: %s CORPUS_DIRECTORY [RUNS [SEED [FLIPS]]]\n", argv[0]);
    return 2;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    std::fprintf(stderr, "%s: no files\n", argv[1]);
    return 2;
  }
  std::vector<Bytes> corpus;
  for (const auto& file : files) {
    corpus.push_back(read_file(file));
    LLVMFuzzerTestOneInput(corpus.back().data(), corpus.back().size());
  }
  const long runs = argc > 2 ? abut::number_argument<long>(argv[2]) : 0;
  const unsigned seed = argc > 3 ? abut::number_argument<unsigned>(argv[3]) : 1;
  if (argc > 4) run_prefixes_and_flips(corpus, abut::number_argument<long>(argv[4]), seed);
  Mutator mutator(corpus, seed);
  for (long i = 0; i < runs; ++i) {
    const Bytes b = mutator.next();
    LLVMFuzzerTestOneInput(b.data(), b.size());
  }
  std::printf("%zu files, %ld changes of them\n", files.size(), runs);
  return 0;
}
