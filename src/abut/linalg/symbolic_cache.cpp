#include "abut/linalg/symbolic_cache.hpp"

#include <algorithm>

namespace abut {
namespace {

std::uint64_t hash(const BlockPattern& pattern) {
  std::uint64_t h = 0xcbf29ce484222325u;
  const auto add = [&](std::int32_t x) {
    h = (h ^ static_cast<std::uint32_t>(x)) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  };
  for (const std::int32_t size : pattern.sizes) add(size);
  for (const BlockEdge& e : pattern.edges) add(e.a), add(e.b);
  return h;
}

}  // namespace

SymbolicCache::Slot& SymbolicCache::slot_of(const BlockPattern& pattern) {
  if (pattern.nodes() <= small_pattern) return small_[hash(pattern) % small_.size()];
  const auto same = std::find_if(large_.begin(), large_.end(),
                                 [&](const Slot& s) { return s.pattern == pattern; });
  if (same != large_.end()) return *same;
  return *std::min_element(large_.begin(), large_.end(), [](const Slot& a, const Slot& b) {
    return a.last_use < b.last_use;
  });
}

const BlockSymbolic& SymbolicCache::get(const BlockPattern& pattern) {
  Slot& slot = slot_of(pattern);
  if (slot.last_use < 0 || slot.pattern != pattern) {
    slot.pattern = pattern;
    analysis_.analyze(pattern, slot.symbolic);
    ++analyses_;
  }
  slot.last_use = uses_++;
  return slot.symbolic;
}

}  // namespace abut
