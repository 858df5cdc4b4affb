#pragma once

#include <array>
#include <cstddef>

namespace abut {

/// The traits of all enumerators, to be looked up: steps ask for them at every contact, where the
/// switch that make_traits(kind) is costs branches.
template <class Kind, std::size_t count>
class TraitsTable {
 public:
  /// `kinds` are all enumerators in the order of their numbers; others do not compile.
  consteval explicit TraitsTable(const std::array<Kind, count>& kinds) {
    for (std::size_t k = 0; k < count; ++k) {
      if (kinds[k] != static_cast<Kind>(k)) throw "the list is out of order or lacks one";
      all_[k] = make_traits(kinds[k]);
    }
    if (!make_traits(static_cast<Kind>(count)).name.empty()) throw "the list lacks the last one";
  }
  /// Of a number that is no enumerator's: empty.
  constexpr const auto& operator[](Kind kind) const {
    const auto k = static_cast<std::size_t>(kind);
    return all_[k < count ? k : count];
  }

 private:
  std::array<decltype(make_traits(Kind{})), count + 1> all_{};
};

}  // namespace abut
