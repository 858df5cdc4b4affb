#include "abut/io/problem_file.hpp"

#include <algorithm>
#include <map>

#include "abut/io/npz.hpp"

namespace abut {
namespace {

std::span<const double> flat(const std::vector<Vec3>& v) {
  static_assert(sizeof(Vec3) == 3 * sizeof(double));
  return {reinterpret_cast<const double*>(v.data()), 3 * v.size()};
}

/// Dofs of the trees, their A and the bodies' Jacobians one after the other, in the order that
/// loading relies on, wherever they lie in the problem.
struct Packed {
  std::vector<std::uint8_t> kind;
  std::vector<std::int32_t> size;
  std::vector<double> mass, inertia, matrices, velocity, free_velocity, jacobians;
  std::vector<Vec3> center;
  std::vector<std::int32_t> body_tree;
  std::vector<Vec3> body_center;
  std::vector<std::int32_t> blocks_in_row, block_column, nodes_of_body, body_nodes;
  std::vector<double> block_elements;
  std::vector<std::int32_t> patch_trees, patch_bodies, patch_contacts;
  std::vector<std::uint8_t> contact_law, scalar_kind;
  std::vector<Vec3> friction_axis;
  std::vector<double> anisotropy, thickness;
  std::vector<std::int32_t> contact_table, table_points;
  std::vector<double> table_depth, table_force;
  std::vector<std::int32_t> scalar_entries, entry_tree, entry_dof;
  std::vector<double> entry_value;
};

void append(std::vector<double>& to, std::span<const double> from, std::int64_t begin,
            std::int64_t count) {
  to.insert(to.end(), from.begin() + begin, from.begin() + begin + count);
}

Packed pack(const ContactProblem& p) {
  Packed k;
  for (const Tree& t : p.trees) {
    k.kind.push_back(static_cast<std::uint8_t>(t.kind));
    k.size.push_back(t.size);
    k.mass.push_back(t.mass);
    k.center.push_back(t.center);
    for (int i = 0; i < 9; ++i) k.inertia.push_back(t.inertia(i / 3, i % 3));
    append(k.velocity, p.velocity, t.first_dof, t.size);
    append(k.free_velocity, p.free_velocity, t.first_dof, t.size);
    if (t.kind == TreeKind::dense) {
      append(k.matrices, p.matrices, t.first_element, std::int64_t{t.size} * t.size);
    }
    if (t.kind == TreeKind::sparse) {
      k.blocks_in_row.resize(k.blocks_in_row.size() + t.nodes(), 0);
      std::int32_t* count = k.blocks_in_row.data() + k.blocks_in_row.size() - t.nodes();
      p.sparse_matrices.for_each_block(t, [&](int row, int column, const double* block) {
        ++count[row];
        k.block_column.push_back(column);
        k.block_elements.insert(k.block_elements.end(), block, block + 9);
      });
    }
  }
  for (const ContactBody& b : p.bodies) {
    k.body_tree.push_back(b.tree);
    k.body_center.push_back(b.center);
    const Tree& tree = p.trees[b.tree];
    if (tree.kind == TreeKind::sparse) {
      k.nodes_of_body.push_back(b.runs);
      for (const IndexRun& run : p.runs_of(b)) k.body_nodes.push_back(run.begin / 3);
      append(k.jacobians, p.jacobians, b.first_element, 6 * std::int64_t{b.columns});
      continue;
    }
    k.nodes_of_body.push_back(0);  // all dofs
    const double* row = p.jacobians.data() + b.first_element;
    for (int r = 0; r < 6; ++r, row += b.columns) {
      k.jacobians.resize(k.jacobians.size() + tree.size, 0);
      double* to = k.jacobians.data() + k.jacobians.size() - tree.size;
      p.for_each_run(
          b, [&](int dof, int column, int count) { std::copy_n(row + column, count, to + dof); });
    }
  }
  for (const Patch& patch : p.patches) {
    k.patch_trees.insert(k.patch_trees.end(), {patch.tree_a, patch.tree_b});
    k.patch_bodies.insert(k.patch_bodies.end(), {patch.body_a, patch.body_b});
    k.patch_contacts.push_back(patch.end - patch.begin);
  }
  for (const std::optional<NormalLawKind>& law : p.contacts.law) {
    k.contact_law.push_back(law ? static_cast<std::uint8_t>(*law) : no_own_law);
  }
  std::map<const ForceTable*, std::int32_t> numbers;
  for (int i = 0; i < p.contacts.size(); ++i) {
    const ContactExtras& extras = p.contacts.extras_of(i);
    k.friction_axis.push_back(extras.friction_axis);
    k.anisotropy.push_back(extras.anisotropy);
    k.thickness.push_back(extras.thickness);
    const ForceTable* table = extras.table.get();
    if (table == nullptr) {
      k.contact_table.push_back(-1);
      continue;
    }
    const auto next = static_cast<std::int32_t>(numbers.size());
    const auto [number, is_new] = numbers.try_emplace(table, next);
    k.contact_table.push_back(number->second);
    if (!is_new) continue;
    k.table_points.push_back(static_cast<std::int32_t>(table->depth.size()));
    append(k.table_depth, table->depth, 0, std::ssize(table->depth));
    append(k.table_force, table->force, 0, std::ssize(table->force));
  }
  for (int i = 0; i < p.scalars.size(); ++i) {
    k.scalar_kind.push_back(static_cast<std::uint8_t>(p.scalars.kind[i]));
    k.scalar_entries.push_back(static_cast<std::int32_t>(p.scalars.row(i).size()));
    for (const RowEntry& e : p.scalars.row(i)) {
      k.entry_tree.push_back(e.tree);
      k.entry_dof.push_back(e.dof);
      k.entry_value.push_back(e.value);
    }
  }
  return k;
}

}  // namespace

void save_problem(const std::string& path, const ContactProblem& p) {
  const Packed k = pack(p);
  const ContactPool& c = p.contacts;
  NpzWriter file;
  const auto add = [&]<class T>(const char* name, const std::vector<T>& v,
                                std::initializer_list<std::size_t> shape) {
    file.add(name, std::span<const T>(v), shape);
  };
  const auto number = [&]<class T>(const char* name, T x) {
    file.add(name, std::span<const T>(&x, 1), {});
  };
  number("format_version", problem_format_version);
  number("time_step", p.time_step);
  number("model", static_cast<std::uint8_t>(p.model));
  number("law", static_cast<std::uint8_t>(p.law));
  number("wake_gap", p.wake_gap);
  number("stiction_tolerance", p.friction.stiction_tolerance);
  number("sigma", p.friction.sigma);
  number("beta", p.friction.beta);
  number("lagged_rule", static_cast<std::uint8_t>(p.friction.lagged_rule));
  number("lag_tolerance", p.friction.lag_tolerance);
  if (traits(p.model).is_rigid) {
    number("restitution", p.rigid.restitution);
    number("baumgarte", p.rigid.baumgarte);
    number("penetration_slop", p.rigid.penetration_slop);
  }

  const std::size_t trees = p.trees.size(), patches = p.patches.size(), n = c.gap.size();
  add("tree_kind", k.kind, {trees});
  add("tree_size", k.size, {trees});
  add("tree_mass", k.mass, {trees});
  file.add("tree_center", flat(k.center), {trees, 3});
  add("tree_inertia", k.inertia, {trees, 3, 3});
  add("tree_matrices", k.matrices, {k.matrices.size()});
  add("blocks_in_row", k.blocks_in_row, {k.blocks_in_row.size()});
  add("block_column", k.block_column, {k.block_column.size()});
  add("block_elements", k.block_elements, {k.block_column.size(), 3, 3});
  add("velocity", k.velocity, {k.velocity.size()});
  add("free_velocity", k.free_velocity, {k.free_velocity.size()});
  add("first_guess", p.first_guess, {p.first_guess.size()});
  const std::size_t bodies = p.bodies.size();
  add("body_tree", k.body_tree, {bodies});
  file.add("body_center", flat(k.body_center), {bodies, 3});
  add("nodes_of_body", k.nodes_of_body, {bodies});
  add("body_nodes", k.body_nodes, {k.body_nodes.size()});
  add("jacobians", k.jacobians, {k.jacobians.size()});
  add("patch_trees", k.patch_trees, {patches, 2});
  add("patch_bodies", k.patch_bodies, {patches, 2});
  add("patch_contacts", k.patch_contacts, {patches});
  file.add("point", flat(c.point), {n, 3});
  file.add("normal", flat(c.normal), {n, 3});
  file.add("bias", flat(c.bias), {n, 3});
  file.add("previous_impulse", flat(c.previous_impulse), {n, 3});
  file.add("anchor", flat(c.anchor), {n, 3});
  file.add("friction_axis", flat(k.friction_axis), {n, 3});
  add("gap", c.gap, {n});
  add("weight", c.weight, {n});
  add("stiffness", c.stiffness, {n});
  add("dissipation", c.dissipation, {n});
  add("relaxation_time", c.relaxation_time, {n});
  add("thickness", k.thickness, {n});
  add("friction", c.friction, {n});
  add("anisotropy", k.anisotropy, {n});
  add("contact_law", k.contact_law, {n});
  add("contact_table", k.contact_table, {n});
  add("table_points", k.table_points, {k.table_points.size()});
  add("table_depth", k.table_depth, {k.table_depth.size()});
  add("table_force", k.table_force, {k.table_force.size()});

  const ScalarPool& s = p.scalars;
  const std::size_t m = s.kind.size();
  add("scalar_kind", k.scalar_kind, {m});
  add("scalar_gap", s.gap, {m});
  add("scalar_stiffness", s.stiffness, {m});
  add("scalar_relaxation_time", s.relaxation_time, {m});
  add("scalar_damping", s.damping, {m});
  add("scalar_force", s.force, {m});
  add("scalar_lower_force", s.lower_force, {m});
  add("scalar_upper_force", s.upper_force, {m});
  add("scalar_previous_impulse", s.previous_impulse, {m});
  add("scalar_entries", k.scalar_entries, {m});
  add("entry_tree", k.entry_tree, {k.entry_tree.size()});
  add("entry_dof", k.entry_dof, {k.entry_dof.size()});
  add("entry_value", k.entry_value, {k.entry_value.size()});
  file.write(path);
}

}  // namespace abut
