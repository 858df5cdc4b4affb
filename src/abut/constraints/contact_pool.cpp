#include "abut/constraints/contact_pool.hpp"

namespace abut {

void ContactPool::clear() {
  for (auto* v : {&point, &normal, &bias, &previous_impulse, &anchor, &friction_axis}) v->clear();
  for (auto* v : {&gap, &weight, &stiffness, &dissipation, &relaxation_time, &thickness, &friction,
                  &anisotropy}) {
    v->clear();
  }
  law.clear();
  table.clear();
}

void ContactPool::reserve(int contacts) {
  for (auto* v : {&point, &normal, &bias, &previous_impulse, &anchor, &friction_axis})
    v->reserve(contacts);
  for (auto* v : {&gap, &weight, &stiffness, &dissipation, &relaxation_time, &thickness, &friction,
                  &anisotropy}) {
    v->reserve(contacts);
  }
  law.reserve(contacts);
  table.reserve(contacts);
}

void ContactPool::push_back(const ContactPoint& c) {
  point.push_back(c.point);
  normal.push_back(c.normal);
  bias.push_back(c.bias);
  previous_impulse.push_back(c.previous_impulse);
  anchor.push_back(c.anchor);
  friction_axis.push_back(c.friction_axis);
  gap.push_back(c.gap);
  weight.push_back(c.weight);
  stiffness.push_back(c.stiffness);
  dissipation.push_back(c.dissipation);
  relaxation_time.push_back(c.relaxation_time);
  thickness.push_back(c.thickness);
  friction.push_back(c.friction);
  anisotropy.push_back(c.anisotropy);
  law.push_back(c.law);
  table.push_back(c.table);
}

}  // namespace abut
