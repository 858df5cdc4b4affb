#include "abut/io/snapshot_bytes.hpp"

#include <vector>

#include "abut/io/bytes.hpp"
#include "abut/io/sealed_bytes.hpp"

namespace abut {
namespace {

constexpr std::string_view magic = "ABUTSNP\n";

/// Calls visit(member) for each part of a snapshot, in the order of the bytes.
template <class S, class Visit>
void for_each_part(S& snapshot, const Visit& visit) {
  auto& [s, inputs] = snapshot;
  visit(s.time), visit(s.steps), visit(s.substep), visit(s.next_substep);
  visit(s.free_bodies);
  visit(s.coordinates), visit(s.velocities);
  visit(s.limit_allowances), visit(s.coupling_allowances);
  visit(s.activations), visit(s.scalar_impulses);
  visit(s.contacts.sources), visit(s.contacts.pairs), visit(s.contacts.impulses);
  visit(s.contacts.anchors), visit(s.contacts.points), visit(s.contacts.slid);
  visit(s.courses);
  visit(inputs.controls), visit(inputs.loads);
}

/// Part by part: what fills it up to its size may be anything, and equal snapshots are equal bytes.
template <class Pair, class Visit>
void for_each_part_of_pair(Pair& p, Visit& visit) {
  auto& m = p.memory;
  visit(p.geom_a), visit(p.geom_b);
  visit(m.normal), visit(m.vertex_a), visit(m.vertex_b), visit(m.simplex), visit(m.simplex_size);
  visit(m.face);
  visit(p.budget);
}

class Writer {
 public:
  explicit Writer(std::vector<char>& to) : bytes_(to) {}
  template <class T>
  void operator()(const T& value) {
    bytes_.put(value);
  }
  template <class T>
  void operator()(const std::vector<T>& values) {
    bytes_.put(static_cast<std::uint64_t>(values.size()));
    for (const T& v : values) bytes_.put(v);
  }
  void operator()(const std::vector<ContactPair>& pairs) {
    bytes_.put(static_cast<std::uint64_t>(pairs.size()));
    for (const ContactPair& p : pairs) for_each_part_of_pair(p, *this);
  }

 private:
  ByteWriter bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  template <class T>
  void operator()(T& value) {
    value = bytes_.take<T>();
  }
  template <class T>
  void operator()(std::vector<T>& values) {
    make_room(values, sizeof(T));
    for (T& v : values) v = bytes_.take<T>();
  }
  void operator()(std::vector<ContactPair>& pairs) {
    make_room(pairs, sizeof(ContactPair) - alignof(ContactPair));
    for (ContactPair& p : pairs) for_each_part_of_pair(p, *this);
  }
  bool good() const { return good_ && bytes_.good() && bytes_.left() == 0; }

 private:
  /// For as many values of at least `size` bytes as are said to come; none if they cannot.
  template <class T>
  void make_room(std::vector<T>& values, std::size_t size) {
    const auto count = bytes_.take<std::uint64_t>();
    if (count > bytes_.left() / size) good_ = false;
    values.resize(good_ ? count : 0);
  }

  ByteReader bytes_;
  bool good_ = true;
};

bool ids_fit(const ContactMemory& contacts) {
  for (const ContactSource& s : contacts.sources) {
    if (!contacts.ids.is_alive(s.id)) return false;
  }
  return true;
}

}  // namespace

std::string encode(const Snapshot& snapshot) {
  std::vector<char> bytes;
  Writer writer(bytes);
  for_each_part(snapshot, [&](const auto& part) { writer(part); });
  snapshot.state.contacts.ids.visit(writer);
  return seal(magic, bytes);
}

Snapshot decode_snapshot(std::string_view bytes) {
  Snapshot s;
  Reader reader(unseal(magic, bytes, "snapshot"));
  for_each_part(s, [&](auto& part) { reader(part); });
  s.state.contacts.ids.visit(reader);
  if (!reader.good() || !ids_fit(s.state.contacts)) fail_input("the snapshot is damaged");
  return s;
}

}  // namespace abut
