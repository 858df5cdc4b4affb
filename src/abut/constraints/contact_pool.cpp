#include "abut/constraints/contact_pool.hpp"

#include <cstring>

#include "abut/core/grow.hpp"

namespace abut {
namespace {

template <class T>
void update(T& place, const T& value) {
  const bool differs = std::memcmp(&place, &value, sizeof(T)) != 0;  // bit by bit: -0 is not 0
  if (differs) [[unlikely]]
    place = value;
}

}  // namespace

void ContactPool::clear() {
  for (auto* v : {&point, &normal, &bias, &previous_impulse, &anchor}) v->clear();
  for (auto* v : {&gap, &weight, &stiffness, &dissipation, &relaxation_time, &friction}) v->clear();
  law.clear();
  extra.clear();
  extras.clear();
  kind.clear();
}

void ContactPool::reserve(int contacts) {
  for (auto* v : {&point, &normal, &bias, &previous_impulse, &anchor}) v->reserve(contacts);
  for (auto* v : {&gap, &weight, &stiffness, &dissipation, &relaxation_time, &friction}) {
    v->reserve(contacts);
  }
  law.reserve(contacts);
  extra.reserve(contacts);
  extras.reserve(contacts);
  kind.reserve(contacts);
}

void ContactPool::push_back(const ContactPoint& c) {
  point.push_back(c.point);
  normal.push_back(c.normal);
  bias.push_back(c.bias);
  previous_impulse.push_back(c.previous_impulse);
  anchor.push_back(c.anchor);
  gap.push_back(c.gap);
  weight.push_back(c.weight);
  stiffness.push_back(c.stiffness);
  dissipation.push_back(c.dissipation);
  relaxation_time.push_back(c.relaxation_time);
  friction.push_back(c.friction);
  law.push_back(c.law);
  extra.push_back(-1);
  kind.push_back(0);
  if (c.anisotropy != no_extras.anisotropy || c.table != nullptr ||
      c.thickness != no_extras.thickness || !(c.friction_axis == Vec3{})) {
    own_extras(size() - 1) = {c.anisotropy, c.friction_axis, c.table, c.thickness};
  }
}

void ContactPool::resize(int contacts) {
  if (size() == contacts && std::ssize(extra) == contacts) return;
  for (auto* v : {&point, &normal, &bias, &previous_impulse, &anchor}) abut::resize(*v, contacts);
  for (auto* v : {&gap, &weight, &stiffness, &dissipation, &relaxation_time, &friction}) {
    abut::resize(*v, contacts);
  }
  abut::resize(law, contacts);
  abut::resize(extra, contacts);
  abut::resize(kind, contacts);
}

void ContactPool::set(int i, const ContactPoint& c, int its_kind) {
  point[i] = c.point;
  normal[i] = c.normal;
  previous_impulse[i] = c.previous_impulse;
  gap[i] = c.gap;
  update(bias[i], c.bias);
  update(anchor[i], c.anchor);
  update(weight[i], c.weight);
  update(stiffness[i], c.stiffness);
  update(dissipation[i], c.dissipation);
  update(relaxation_time[i], c.relaxation_time);
  update(friction[i], c.friction);
  if (law[i] != c.law) law[i] = c.law;
  update(extra[i], -1);
  update(kind[i], its_kind);
}

ContactExtras& ContactPool::own_extras(int contact) {
  if (extra[contact] < 0) {
    extra[contact] = static_cast<std::int32_t>(extras.size());
    extras.emplace_back();
    kind[contact] = 0;
  }
  return extras[extra[contact]];
}

}  // namespace abut
