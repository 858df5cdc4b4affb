#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace abut {

/// Room for `size` elements, doubled where it must grow: sizes that creep up from step to step then
/// seldom allocate, which std::vector's own assign() and copies do each time.
template <class T>
void make_room(std::vector<T>& v, std::size_t size) {
  if (size > v.capacity()) v.reserve(std::max(size, 2 * v.capacity()));
}

template <class T>
void assign(std::vector<T>& v, std::size_t size, const std::type_identity_t<T>& value) {
  make_room(v, size);
  v.assign(size, value);
}

template <class T>
void assign(std::vector<T>& v, std::span<const std::type_identity_t<T>> values) {
  make_room(v, values.size());
  v.assign(values.begin(), values.end());
}

}  // namespace abut
