#pragma once

#include <cstdint>
#include <vector>

#include "abut/core/assert.hpp"
#include "abut/core/grow.hpp"

namespace abut {

/// Names something that comes and goes: index and generation in 8 bytes, passed by value. The null
/// id is all zeros; an id is never given out twice.
template <class Tag>
struct Id {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;  ///< 0 only in the null id

  bool operator==(const Id&) const = default;
  explicit operator bool() const { return generation != 0; }
};

/// Gives out ids, the most recently freed index first.
template <class Tag>
class IdPool {
 public:
  Id<Tag> create() {
    if (free_.empty()) {
      generation_.push_back(1);
      return {static_cast<std::uint32_t>(generation_.size() - 1), 1};
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    return {index, generation_[index]};
  }

  void reserve(std::size_t ids) {
    make_room(generation_, ids);
    make_room(free_, ids);
  }

  void destroy(Id<Tag> id) {
    ABUT_ASSERT(is_alive(id));
    ++generation_[id.index];
    free_.push_back(id.index);
  }

  bool is_alive(Id<Tag> id) const {
    return id && id.index < generation_.size() && generation_[id.index] == id.generation;
  }

  bool operator==(const IdPool&) const = default;

  /// Calls visit with each of its arrays: to write them, or to read them back.
  template <class Visit>
  void visit(Visit& visit) const {
    visit(generation_), visit(free_);
  }
  template <class Visit>
  void visit(Visit& visit) {
    visit(generation_), visit(free_);
  }

  friend void swap(IdPool& a, IdPool& b) noexcept {
    std::swap(a.generation_, b.generation_);
    std::swap(a.free_, b.free_);
  }

 private:
  std::vector<std::uint32_t> generation_;  ///< of the living id, or of the next one at this index
  std::vector<std::uint32_t> free_;
};

}  // namespace abut
