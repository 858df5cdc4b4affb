#include "abut/view/page_contacts.hpp"

namespace abut {

PageContact page_contact(const RecordedContact& contact, double time_step) {
  const Vec3& n = contact.normal;
  const double normal_speed = dot(contact.velocity, n);
  const double normal_force = dot(contact.impulse, n) / time_step;
  PageContact page{.force = contact.impulse / time_step,
                   .slip = norm(contact.velocity - normal_speed * n)};
  // a regularized law has no border between stick and slip: friction is at its bound or below
  constexpr double near_bound = 0.99;
  const double friction_force = norm(page.force - normal_force * n);
  if (normal_force <= 0 && friction_force <= 0) return page;
  const bool slips = friction_force >= near_bound * contact.friction * normal_force;
  page.mode = slips ? ContactMode::slip : ContactMode::stick;
  return page;
}

}  // namespace abut
