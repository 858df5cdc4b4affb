#include "abut/view/live/frame.hpp"

#include <cmath>
#include <span>

#include "abut/io/bytes.hpp"
#include "abut/view/page_contacts.hpp"
#include "abut/view/page_series.hpp"

namespace abut {
namespace {

/// Appends numbers as the page reads them.
class FrameWriter {
 public:
  explicit FrameWriter(std::vector<char>& to) : out_(to) {}

  void count(std::size_t n) { out_.put(static_cast<std::uint32_t>(n)); }
  void exact(double x) { out_.put(x); }
  void number(double x) { out_.put(static_cast<float>(x)); }
  void vector(const Vec3& v) { number(v.x), number(v.y), number(v.z); }
  /// One number or vector of each contact.
  template <class Contact, class Get>
  void column(const std::vector<Contact>& contacts, const Get& get) {
    for (const Contact& c : contacts) put(get(c));
  }

 private:
  void put(double x) { number(x); }
  void put(const Vec3& v) { vector(v); }
  void put(std::int32_t x) { out_.put(x); }
  void put(std::uint32_t x) { out_.put(x); }
  void put(ContactMode mode) { out_.put(static_cast<std::uint8_t>(mode)); }

  ByteWriter out_;
};

}  // namespace

void FrameEncoder::encode(const World& world, bool after_step, const DragView& drag,
                          std::vector<char>& to) {
  states_.record(world, after_step, state_);
  const RecordedStep step = record_step(world);
  const std::span<const PageSeries> series = page_series();
  const std::vector<RecordedContact>& contacts = state_.contacts;
  page_contacts_.clear();
  for (const RecordedContact& c : contacts) {
    page_contacts_.push_back(page_contact(c, world.time_step()));
  }

  to.clear();
  FrameWriter out(to);
  out.count(state_.bodies.size());
  out.count(contacts.size());
  out.count(series.size());
  out.count(after_step ? static_cast<std::size_t>(step.status) : 0);
  out.exact(static_cast<double>(state_.step));
  out.exact(state_.time);
  out.number(drag.body);
  out.vector(drag.point);
  out.vector(drag.target);
  out.vector(drag.force);
  out.number(0), out.number(0);
  for (const PageSeries& s : series) out.number(after_step ? s.value(step) : NAN);
  for (const BodyState& b : state_.bodies) {
    out.vector(b.position);
    const Quaternion& q = b.orientation;
    for (const double x : {q.w, q.x, q.y, q.z}) out.number(x);
  }
  out.column(contacts, [](const RecordedContact& c) { return c.body_a; });
  out.column(contacts, [](const RecordedContact& c) { return c.body_b; });
  out.column(contacts, [](const RecordedContact& c) { return static_cast<std::uint32_t>(c.id); });
  out.column(contacts, [](const RecordedContact& c) { return c.point; });
  out.column(contacts, [](const RecordedContact& c) { return c.normal; });
  out.column(page_contacts_, [](const PageContact& c) { return c.force; });
  out.column(contacts, [](const RecordedContact& c) { return c.friction; });
  out.column(page_contacts_, [](const PageContact& c) { return c.slip; });
  out.column(contacts, [](const RecordedContact& c) { return c.gap; });
  out.column(page_contacts_, [](const PageContact& c) { return c.mode; });
}

}  // namespace abut
