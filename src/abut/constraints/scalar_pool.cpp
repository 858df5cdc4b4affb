#include "abut/constraints/scalar_pool.hpp"

#include "abut/core/grow.hpp"

namespace abut {

void ScalarPool::clear() {
  for (auto* v : {&gap, &stiffness, &relaxation_time, &damping, &force, &lower_force, &upper_force,
                  &previous_impulse}) {
    v->clear();
  }
  name.clear();
  entry_end.clear();
  kind.clear();
  entries.clear();
}

void ScalarPool::make_room(std::size_t constraints) {
  for (auto* v : {&gap, &stiffness, &relaxation_time, &damping, &force, &lower_force, &upper_force,
                  &previous_impulse}) {
    abut::make_room(*v, constraints);
  }
  abut::make_room(name, constraints);
  abut::make_room(entry_end, constraints);
  abut::make_room(kind, constraints);
  abut::make_room(entries, entries.size() + constraints - kind.size());
}

void ScalarPool::push_back(const ScalarConstraint& c, std::span<const RowEntry> row_entries) {
  name.push_back(c.name);
  kind.push_back(c.kind);
  gap.push_back(c.gap);
  stiffness.push_back(c.stiffness);
  relaxation_time.push_back(c.relaxation_time);
  damping.push_back(c.damping);
  force.push_back(c.force);
  lower_force.push_back(c.lower_force);
  upper_force.push_back(c.upper_force);
  previous_impulse.push_back(c.previous_impulse);
  entries.insert(entries.end(), row_entries.begin(), row_entries.end());
  entry_end.push_back(static_cast<std::int32_t>(entries.size()));
}

}  // namespace abut
