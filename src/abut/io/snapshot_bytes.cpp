#include "abut/io/snapshot_bytes.hpp"

#include <vector>

#include "abut/io/bytes.hpp"
#include "abut/io/sealed_bytes.hpp"

namespace abut {
namespace {

constexpr std::string_view magic = "ABUTSNP\n";

/// Calls visit(member) for each part of a snapshot, in the order of the bytes.
template <class S, class Visit>
void for_each_part(S& s, const Visit& visit) {
  visit(s.steps), visit(s.start_time);
  auto& b = s.bodies;
  visit(b.tree), visit(b.center), visit(b.orientation), visit(b.linear_velocity);
  visit(b.angular_velocity), visit(b.rotation), visit(b.force), visit(b.moment);
  visit(b.drag_force), visit(b.drag_moment);
  visit(s.coordinates), visit(s.velocities), visit(s.allowances);
  visit(s.controls), visit(s.activations), visit(s.scalar_impulses);
  visit(s.contacts.sources), visit(s.contacts.pairs), visit(s.contacts.impulses);
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
    const auto count = bytes_.take<std::uint64_t>();
    if (count > bytes_.left() / sizeof(T)) good_ = false;
    if (!good_) return;
    values.resize(count);
    for (T& v : values) v = bytes_.take<T>();
  }
  bool good() const { return good_ && bytes_.good() && bytes_.left() == 0; }

 private:
  ByteReader bytes_;
  bool good_ = true;
};

bool ids_fit(const ContactQuery::Memory& contacts) {
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
  snapshot.contacts.ids.visit(writer);
  return seal(magic, bytes);
}

Snapshot decode_snapshot(std::string_view bytes) {
  Snapshot s;
  Reader reader(unseal(magic, bytes, "snapshot"));
  for_each_part(s, [&](auto& part) { reader(part); });
  s.contacts.ids.visit(reader);
  if (!reader.good() || !ids_fit(s.contacts)) fail_input("the snapshot is damaged");
  return s;
}

}  // namespace abut
