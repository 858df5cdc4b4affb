#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace abut {

/// Most numbers of a buffer for which room is made before it is known that they are needed.
constexpr std::size_t most_ahead = std::size_t{1} << 20;

// Steps call these often, and seldom does a size change: what then is to be done are functions, so
// that the checks are small enough to be put into their callers.

template <class T>
[[gnu::cold, gnu::noinline]] void get_room(std::vector<T>& v, std::size_t size) {
  v.reserve(std::max(size, 2 * v.capacity()));
}
template <class T>
[[gnu::noinline]] void change_size(std::vector<T>& v, std::size_t size) {
  if (size > v.capacity()) get_room(v, size);
  v.resize(size);
}

/// Room for `size` elements, doubled where it must grow: sizes that creep up from step to step then
/// seldom allocate, which std::vector's own assign() and copies do each time.
template <class T>
void make_room(std::vector<T>& v, std::size_t size) {
  if (size > v.capacity()) get_room(v, size);
}

/// v.resize(size), with room as above.
template <class T>
void resize(std::vector<T>& v, std::size_t size) {
  if (size != v.size()) [[unlikely]]
    change_size(v, size);
}

/// v.assign(size, value), likewise; T has a default.
template <class T>
void assign(std::vector<T>& v, std::size_t size, const std::type_identity_t<T>& value) {
  resize(v, size);
  std::fill(v.begin(), v.end(), value);
}

template <class T>
void assign(std::vector<T>& v, std::span<const std::type_identity_t<T>> values) {
  resize(v, values.size());
  std::copy(values.begin(), values.end(), v.begin());
}

}  // namespace abut
