#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "abut/core/error.hpp"
#include "abut/io/npz.hpp"
#include "abut/io/problem_file.hpp"

namespace abut {
namespace {

/// Reads and checks what the arrays' offsets depend on; validate() does the rest.
class Loader {
 public:
  explicit Loader(const std::string& path) : file_(path) {}

  ContactProblem load() {
    if (const auto version = file_.take<std::int32_t>("format_version");
        version != problem_format_version) {
      file_.fail("format_version", "is " + std::to_string(version) + "; this abut reads version " +
                                       std::to_string(problem_format_version));
    }
    load_settings();
    load_trees();
    load_bodies();
    load_patches();
    load_contacts();
    load_scalars();
    file_.require_all_taken();
    return std::move(p_);
  }

 private:
  static constexpr std::size_t any = NpzReader::any;

  template <class Kinds>
  auto take_enum(const std::string& name, const Kinds& kinds) {
    return known(name, file_.take<std::uint8_t>(name), kinds);
  }
  /// That of `kinds`, in the order of their numbers, which has this code.
  template <class Kinds>
  auto known(const std::string& name, std::uint8_t code, const Kinds& kinds) {
    if (code >= kinds.size()) {
      file_.fail(name, "holds " + std::to_string(code) + ", must be at most " +
                           std::to_string(kinds.size() - 1));
    }
    return kinds[code];
  }
  std::vector<Vec3> take_vectors(const std::string& name, std::size_t count) {
    const std::vector<double> numbers = file_.take<double>(name, {count, 3});
    std::vector<Vec3> vectors(count);
    for (std::size_t i = 0; i < count; ++i) {
      vectors[i] = {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
    }
    return vectors;
  }

  void load_settings() {
    p_.time_step = file_.take<double>("time_step");
    p_.model = take_enum("model", contact_models);
    p_.law = take_enum("law", normal_laws);
    p_.wake_gap = file_.take<double>("wake_gap");
    p_.friction.stiction_tolerance = file_.take<double>("stiction_tolerance");
    p_.friction.sigma = file_.take<double>("sigma");
    p_.friction.beta = file_.take<double>("beta");
    p_.friction.lagged_rule = take_enum("lagged_rule", lagged_rules);
    p_.friction.lag_tolerance = file_.take<double>("lag_tolerance");
    if (traits(p_.model).is_rigid) {
      p_.rigid.restitution = file_.take<double>("restitution");
      p_.rigid.baumgarte = file_.take<double>("baumgarte");
      p_.rigid.penetration_slop = file_.take<double>("penetration_slop");
    }
  }

  void load_trees() {
    const auto kind = file_.take<std::uint8_t>("tree_kind", {any});
    const std::size_t n = kind.size();
    const auto size = file_.take<std::int32_t>("tree_size", {n});
    const auto mass = file_.take<double>("tree_mass", {n});
    const auto center = take_vectors("tree_center", n);
    const auto inertia = file_.take<double>("tree_inertia", {n, 3, 3});
    std::int64_t dofs = 0, elements = 0, block_rows = 0;
    for (std::size_t t = 0; t < n; ++t) {
      const TreeKind tree_kind = known("tree_kind", kind[t], tree_kinds);
      check_size(t, tree_kind, size[t]);
      const bool dense = tree_kind == TreeKind::dense, sparse = tree_kind == TreeKind::sparse;
      Tree tree{.kind = tree_kind,
                .first_dof = static_cast<std::int32_t>(dofs),
                .size = size[t],
                .mass = mass[t],
                .center = center[t],
                .inertia = {},
                .first_element = dense    ? elements
                                 : sparse ? block_rows
                                          : 0};
      for (int i = 0; i < 9; ++i) tree.inertia(i / 3, i % 3) = inertia[9 * t + i];
      p_.trees.push_back(tree);
      dofs += size[t];
      if (dense) elements += std::int64_t{size[t]} * size[t];
      if (sparse) block_rows += size[t] / 3;
      if (dofs > std::numeric_limits<std::int32_t>::max()) {
        file_.fail("tree_size", "adds up to more than 2^31 - 1 dofs");
      }
    }
    p_.velocity = file_.take<double>("velocity", {static_cast<std::size_t>(dofs)});
    p_.free_velocity = file_.take<double>("free_velocity", {static_cast<std::size_t>(dofs)});
    p_.first_guess = file_.take<double>("first_guess", {any});
    const auto matrices = file_.take<double>("tree_matrices", {static_cast<std::size_t>(elements)});
    p_.matrices.assign(matrices.begin(), matrices.end());
    load_blocks(static_cast<std::size_t>(block_rows));
  }

  void check_size(std::size_t t, TreeKind kind, std::int32_t size) {
    const auto check = [&](bool fits, const std::string& must) {
      if (fits) return;
      file_.fail("tree_size", "tree " + std::to_string(t) + " has " + std::to_string(size) +
                                  " dofs, must have " + must);
    };
    switch (kind) {
      case TreeKind::rigid_body: return check(size == 6, "6");
      case TreeKind::dense:
        return check(size >= 1 && size <= largest_tree, "1 to " + std::to_string(largest_tree));
      case TreeKind::sparse:
        return check(size >= 3 && size <= 3 * largest_tree && size % 3 == 0,
                     "3 for each node, at most " + std::to_string(3 * largest_tree));
    }
  }

  void load_blocks(std::size_t rows) {
    SparseMatrices& m = p_.sparse_matrices;
    const auto count = file_.take<std::int32_t>("blocks_in_row", {rows});
    m.column = file_.take<std::int32_t>("block_column", {any});
    m.elements = file_.take<double>("block_elements", {m.column.size(), 3, 3});
    std::int64_t end = 0;
    for (const std::int32_t blocks : count) {
      end += blocks;
      if (blocks < 1 || end > std::ssize(m.column)) break;
      m.row_end.push_back(end);
    }
    if (m.row_end.size() != rows || end != std::ssize(m.column)) {
      file_.fail("blocks_in_row", "does not fit " + std::to_string(m.column.size()) + " blocks");
    }
  }

  void load_patches() {
    const auto contacts = file_.take<std::int32_t>("patch_contacts", {any});
    const auto trees = file_.take<std::int32_t>("patch_trees", {contacts.size(), 2});
    const auto bodies = file_.take<std::int32_t>("patch_bodies", {contacts.size(), 2});
    std::int64_t next = 0;
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      const std::int32_t a = trees[2 * k], b = trees[2 * k + 1];
      const auto tree_count = std::ssize(p_.trees);
      if (!(a >= world_tree && a <= b && b >= 0 && b < tree_count)) {
        file_.fail("patch_trees", "patch " + std::to_string(k) + " is between trees " +
                                      std::to_string(a) + " and " + std::to_string(b) +
                                      ", must be -1 (the world) <= a <= b < " +
                                      std::to_string(tree_count));
      }
      const std::int64_t end = next + contacts[k];
      if (contacts[k] < 1 || end > std::numeric_limits<std::int32_t>::max()) {
        file_.fail("patch_contacts", "patch " + std::to_string(k) + " has " +
                                         std::to_string(contacts[k]) +
                                         " contacts, must have at least 1, and all together less "
                                         "than 2^31");
      }
      p_.patches.push_back({a, b, bodies[2 * k], bodies[2 * k + 1], static_cast<std::int32_t>(next),
                            static_cast<std::int32_t>(end)});
      next = end;
    }
    contact_count_ = static_cast<std::size_t>(next);
  }

  void load_contacts() {
    ContactPool& c = p_.contacts;
    const std::size_t n = contact_count_;
    c.point = take_vectors("point", n);
    c.normal = take_vectors("normal", n);
    c.bias = take_vectors("bias", n);
    c.previous_impulse = take_vectors("previous_impulse", n);
    c.anchor = take_vectors("anchor", n);
    c.gap = file_.take<double>("gap", {n});
    c.weight = file_.take<double>("weight", {n});
    c.stiffness = file_.take<double>("stiffness", {n});
    c.dissipation = file_.take<double>("dissipation", {n});
    c.relaxation_time = file_.take<double>("relaxation_time", {n});
    c.friction = file_.take<double>("friction", {n});
    for (const std::uint8_t code : file_.take<std::uint8_t>("contact_law", {n})) {
      c.law.push_back(code == no_own_law ? std::nullopt
                                         : std::optional(known("contact_law", code, normal_laws)));
    }
    load_extras();
  }

  void load_extras() {
    ContactPool& c = p_.contacts;
    const std::vector<Vec3> axis = take_vectors("friction_axis", contact_count_);
    const auto anisotropy = file_.take<double>("anisotropy", {contact_count_});
    const auto thickness = file_.take<double>("thickness", {contact_count_});
    const std::vector<std::shared_ptr<const ForceTable>> tables = take_tables();
    const auto table = file_.take<std::int32_t>("contact_table", {contact_count_});
    c.extra.assign(contact_count_, -1);
    c.kind.assign(contact_count_, 0);
    for (std::size_t i = 0; i < contact_count_; ++i) {
      const std::int32_t k = table[i];
      if (k < -1 || k >= std::ssize(tables)) {
        file_.fail("contact_table", "holds " + std::to_string(k) + ", must be below " +
                                        std::to_string(tables.size()) + ", or -1 for none");
      }
      const ContactExtras found{anisotropy[i], axis[i], k < 0 ? nullptr : tables[k], thickness[i]};
      if (!(found == no_extras)) c.own_extras(static_cast<int>(i)) = found;
    }
  }

  std::vector<std::shared_ptr<const ForceTable>> take_tables() {
    const auto points = file_.take<std::int32_t>("table_points", {any});
    const auto depth = file_.take<double>("table_depth", {any});
    const auto force = file_.take<double>("table_force", {depth.size()});
    std::vector<std::shared_ptr<const ForceTable>> tables;
    std::int64_t end = 0;
    for (const std::int32_t count : points) {
      const std::int64_t begin = end;
      end += count;
      if (count < 2 || end > std::ssize(depth)) break;
      tables.push_back(std::make_shared<const ForceTable>(
          ForceTable{{depth.begin() + begin, depth.begin() + end},
                     {force.begin() + begin, force.begin() + end}}));
    }
    if (tables.size() != points.size() || end != std::ssize(depth)) {
      file_.fail("table_points", "does not fit " + std::to_string(depth.size()) + " depths");
    }
    return tables;
  }

  void load_bodies() {
    const auto tree = file_.take<std::int32_t>("body_tree", {any});
    const std::vector<Vec3> center = take_vectors("body_center", tree.size());
    const auto nodes = file_.take<std::int32_t>("nodes_of_body", {tree.size()});
    const auto body_nodes = file_.take<std::int32_t>("body_nodes", {any});
    const auto jacobians = file_.take<double>("jacobians", {any});
    std::int64_t next = 0, node = 0;
    for (std::size_t b = 0; b < tree.size(); ++b) {
      if (tree[b] < 0 || tree[b] >= std::ssize(p_.trees) || p_.is_rigid_body(tree[b])) {
        file_.fail("body_tree", "holds " + std::to_string(tree[b]) +
                                    ", which is neither a dense tree nor a sparse one");
      }
      const bool sparse = p_.trees[tree[b]].kind == TreeKind::sparse;
      const std::int64_t end = node + nodes[b];
      if ((sparse ? nodes[b] < 1 : nodes[b] != 0) || end > std::ssize(body_nodes)) {
        file_.fail("nodes_of_body", "holds " + std::to_string(nodes[b]) + " for body " +
                                        std::to_string(b) +
                                        ", must be positive for sparse trees alone, and fit " +
                                        std::to_string(body_nodes.size()) + " body_nodes");
      }
      const std::int64_t count = std::int64_t{6} * (sparse ? 3 * nodes[b] : p_.trees[tree[b]].size);
      if (count > std::ssize(jacobians) - next) {
        file_.fail("jacobians", "has " + std::to_string(jacobians.size()) +
                                    " numbers, fewer than the columns of its bodies need");
      }
      const auto jacobian = std::span(jacobians).subspan(next, count);
      if (sparse) {
        add_point(tree[b], center[b], std::span(body_nodes).subspan(node, nodes[b]), jacobian);
      } else {
        p_.add_body(tree[b], center[b], jacobian);
      }
      node = end;
      next += count;
    }
    if (node != std::ssize(body_nodes)) file_.fail("body_nodes", "has more than bodies name");
    if (next != std::ssize(jacobians)) file_.fail("jacobians", "has more than bodies name");
  }

  void add_point(std::int32_t tree, const Vec3& center, std::span<const std::int32_t> nodes,
                 std::span<const double> jacobian) {
    for (const std::int32_t node : nodes) {
      if (node >= 0 && node < p_.trees[tree].nodes()) continue;
      file_.fail("body_nodes", "names node " + std::to_string(node) + ", tree " +
                                   std::to_string(tree) + " has " +
                                   std::to_string(p_.trees[tree].nodes()));
    }
    const int body = p_.add_point(tree, center, nodes, std::vector<double>(nodes.size()));
    std::ranges::copy(jacobian, p_.jacobian_of(body).begin());
  }

  void load_scalars() {
    ScalarPool& s = p_.scalars;
    const auto kind = file_.take<std::uint8_t>("scalar_kind", {any});
    const std::size_t n = kind.size();
    for (const std::uint8_t code : kind) {
      s.kind.push_back(known("scalar_kind", code, scalar_kinds));
    }
    s.gap = file_.take<double>("scalar_gap", {n});
    s.stiffness = file_.take<double>("scalar_stiffness", {n});
    s.relaxation_time = file_.take<double>("scalar_relaxation_time", {n});
    s.damping = file_.take<double>("scalar_damping", {n});
    s.force = file_.take<double>("scalar_force", {n});
    s.lower_force = file_.take<double>("scalar_lower_force", {n});
    s.upper_force = file_.take<double>("scalar_upper_force", {n});
    s.previous_impulse = file_.take<double>("scalar_previous_impulse", {n});
    s.name.assign(n, -1);
    const auto entries = file_.take<std::int32_t>("scalar_entries", {n});
    const auto tree = file_.take<std::int32_t>("entry_tree", {any});
    const auto dof = file_.take<std::int32_t>("entry_dof", {tree.size()});
    const auto value = file_.take<double>("entry_value", {dof.size()});
    for (std::size_t e = 0; e < dof.size(); ++e) s.entries.push_back({tree[e], dof[e], value[e]});
    std::int64_t end = 0;
    for (std::size_t i = 0; i < n; ++i) {
      end += entries[i];
      if (entries[i] < 0 || end > std::ssize(s.entries)) {
        file_.fail("scalar_entries", "does not fit " + std::to_string(dof.size()) + " entries");
      }
      s.entry_end.push_back(static_cast<std::int32_t>(end));
    }
    if (end != std::ssize(s.entries)) {
      file_.fail("scalar_entries", "does not fit " + std::to_string(dof.size()) + " entries");
    }
  }

  /// A larger dense A takes minutes to invert: more likely a mistake than a mechanism.
  static constexpr std::int32_t largest_tree = 4096;

  NpzReader file_;
  ContactProblem p_;
  std::size_t contact_count_ = 0;
};

}  // namespace

ContactProblem load_problem(const std::string& path) {
  ContactProblem p = Loader(path).load();
  try {
    validate(p);
  } catch (const InputError& e) {
    throw InputError(path + ": " + e.what());
  }
  return p;
}

}  // namespace abut
