#include "abut/io/problem_file.hpp"

#include <algorithm>
#include <limits>

#include "abut/core/error.hpp"
#include "abut/io/npz.hpp"

namespace abut {
namespace {

constexpr std::int32_t format_version = 1;

std::span<const double> flat(const std::vector<Vec3>& v) {
  static_assert(sizeof(Vec3) == 3 * sizeof(double));
  return {reinterpret_cast<const double*>(v.data()), 3 * v.size()};
}

/// Dofs of the trees, their A and the contacts' Jacobians one after the other, in the order that
/// loading relies on, wherever they lie in the problem.
struct Packed {
  std::vector<std::uint8_t> kind;
  std::vector<std::int32_t> size;
  std::vector<double> mass, inertia, matrices, velocity, free_velocity, jacobians;
  std::vector<Vec3> center;
  std::vector<std::int32_t> patch_trees, patch_contacts;
};

void append(std::vector<double>& to, const std::vector<double>& from, std::int64_t begin,
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
    append(k.velocity, p.velocity, t.velocity, t.size);
    append(k.free_velocity, p.free_velocity, t.velocity, t.size);
    if (t.kind == TreeKind::dense) {
      append(k.matrices, p.matrices, t.matrix, std::int64_t{t.size} * t.size);
    }
  }
  const auto append_jacobian = [&](std::int32_t tree, std::int64_t begin) {
    if (begin >= 0) append(k.jacobians, p.jacobians, begin, 3 * std::int64_t{p.trees[tree].size});
  };
  for (const Patch& patch : p.patches) {
    k.patch_trees.insert(k.patch_trees.end(), {patch.tree_a, patch.tree_b});
    k.patch_contacts.push_back(patch.end - patch.begin);
    for (int i = patch.begin; i < patch.end; ++i) {
      append_jacobian(patch.tree_a, p.contacts.jacobian_a[i]);
      append_jacobian(patch.tree_b, p.contacts.jacobian_b[i]);
    }
  }
  return k;
}

/// Reads and checks what the arrays' offsets depend on; validate() does the rest.
class Loader {
 public:
  explicit Loader(const std::string& path) : file_(path) {}

  ContactProblem load() {
    if (const auto version = file_.take<std::int32_t>("format_version");
        version != format_version) {
      file_.fail("format_version", "is " + std::to_string(version) + "; this abut reads version " +
                                       std::to_string(format_version));
    }
    load_settings();
    load_trees();
    load_patches();
    load_contacts();
    load_jacobians();
    file_.require_all_taken();
    return std::move(p_);
  }

 private:
  static constexpr std::size_t any = NpzReader::any;

  template <class Enum>
  Enum take_enum(const std::string& name, Enum last) {
    const auto code = file_.take<std::uint8_t>(name);
    check_code(name, code, last);
    return static_cast<Enum>(code);
  }
  template <class Enum>
  void check_code(const std::string& name, std::uint8_t code, Enum last) {
    if (code > static_cast<std::uint8_t>(last)) {
      file_.fail(name, "holds " + std::to_string(code) + ", must be at most " +
                           std::to_string(static_cast<int>(last)));
    }
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
    p_.model = take_enum("model", ContactModel::similar);
    p_.law = take_enum("law", NormalLawKind::hertz);
    p_.wake_gap = file_.take<double>("wake_gap");
    p_.friction.stiction_tolerance = file_.take<double>("stiction_tolerance");
    p_.friction.sigma = file_.take<double>("sigma");
    p_.friction.beta = file_.take<double>("beta");
    p_.friction.lagged_rule = take_enum("lagged_rule", LaggedRule::state);
  }

  void load_trees() {
    const auto kind = file_.take<std::uint8_t>("tree_kind", {any});
    const std::size_t n = kind.size();
    const auto size = file_.take<std::int32_t>("tree_size", {n});
    const auto mass = file_.take<double>("tree_mass", {n});
    const auto center = take_vectors("tree_center", n);
    const auto inertia = file_.take<double>("tree_inertia", {n, 3, 3});
    std::int64_t dofs = 0, elements = 0;
    for (std::size_t t = 0; t < n; ++t) {
      check_code("tree_kind", kind[t], TreeKind::dense);
      const bool dense = kind[t] == static_cast<std::uint8_t>(TreeKind::dense);
      if (dense ? size[t] < 1 || size[t] > largest_tree : size[t] != 6) {
        file_.fail("tree_size", "tree " + std::to_string(t) + " has " + std::to_string(size[t]) +
                                    " dofs, must have " +
                                    (dense ? "1 to " + std::to_string(largest_tree) : "6"));
      }
      Tree tree{.kind = static_cast<TreeKind>(kind[t]),
                .velocity = static_cast<std::int32_t>(dofs),
                .size = size[t],
                .mass = mass[t],
                .center = center[t],
                .inertia = {},
                .matrix = dense ? elements : 0};
      for (int i = 0; i < 9; ++i) tree.inertia(i / 3, i % 3) = inertia[9 * t + i];
      p_.trees.push_back(tree);
      dofs += size[t];
      if (dense) elements += std::int64_t{size[t]} * size[t];
      if (dofs > std::numeric_limits<std::int32_t>::max()) {
        file_.fail("tree_size", "adds up to more than 2^31 - 1 dofs");
      }
    }
    p_.velocity = file_.take<double>("velocity", {static_cast<std::size_t>(dofs)});
    p_.free_velocity = file_.take<double>("free_velocity", {static_cast<std::size_t>(dofs)});
    p_.matrices = file_.take<double>("tree_matrices", {static_cast<std::size_t>(elements)});
  }

  void load_patches() {
    const auto contacts = file_.take<std::int32_t>("patch_contacts", {any});
    const auto trees = file_.take<std::int32_t>("patch_trees", {contacts.size(), 2});
    std::int64_t next = 0;
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      const std::int32_t a = trees[2 * k], b = trees[2 * k + 1];
      const auto tree_count = std::ssize(p_.trees);
      if (!(a >= world_tree && a < b && b < tree_count)) {
        file_.fail("patch_trees", "patch " + std::to_string(k) + " is between trees " +
                                      std::to_string(a) + " and " + std::to_string(b) +
                                      ", must be -1 (the world) <= a < b < " +
                                      std::to_string(tree_count));
      }
      const std::int64_t end = next + contacts[k];
      if (contacts[k] < 1 || end > std::numeric_limits<std::int32_t>::max()) {
        file_.fail("patch_contacts", "patch " + std::to_string(k) + " has " +
                                         std::to_string(contacts[k]) +
                                         " contacts, must have at least 1, and all together less "
                                         "than 2^31");
      }
      p_.patches.push_back({a, b, static_cast<std::int32_t>(next), static_cast<std::int32_t>(end)});
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
    c.gap = file_.take<double>("gap", {n});
    c.weight = file_.take<double>("weight", {n});
    c.stiffness = file_.take<double>("stiffness", {n});
    c.dissipation = file_.take<double>("dissipation", {n});
    c.relaxation_time = file_.take<double>("relaxation_time", {n});
    c.friction = file_.take<double>("friction", {n});
  }

  void load_jacobians() {
    std::int64_t next = 0;
    const auto place = [&](std::int32_t tree) -> std::int64_t {
      if (tree == world_tree || p_.trees[tree].kind != TreeKind::dense) return -1;
      const std::int64_t at = next;
      next += 3 * std::int64_t{p_.trees[tree].size};
      return at;
    };
    for (const Patch& patch : p_.patches) {
      for (int i = patch.begin; i < patch.end; ++i) {
        p_.contacts.jacobian_a.push_back(place(patch.tree_a));
        p_.contacts.jacobian_b.push_back(place(patch.tree_b));
      }
    }
    p_.jacobians = file_.take<double>("jacobians", {static_cast<std::size_t>(next)});
  }

  /// A larger dense A takes minutes to invert: more likely a mistake than a mechanism.
  static constexpr std::int32_t largest_tree = 4096;

  NpzReader file_;
  ContactProblem p_;
  std::size_t contact_count_ = 0;
};

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
  number("format_version", format_version);
  number("time_step", p.time_step);
  number("model", static_cast<std::uint8_t>(p.model));
  number("law", static_cast<std::uint8_t>(p.law));
  number("wake_gap", p.wake_gap);
  number("stiction_tolerance", p.friction.stiction_tolerance);
  number("sigma", p.friction.sigma);
  number("beta", p.friction.beta);
  number("lagged_rule", static_cast<std::uint8_t>(p.friction.lagged_rule));

  const std::size_t trees = p.trees.size(), patches = p.patches.size(), n = c.gap.size();
  add("tree_kind", k.kind, {trees});
  add("tree_size", k.size, {trees});
  add("tree_mass", k.mass, {trees});
  file.add("tree_center", flat(k.center), {trees, 3});
  add("tree_inertia", k.inertia, {trees, 3, 3});
  add("tree_matrices", k.matrices, {k.matrices.size()});
  add("velocity", k.velocity, {k.velocity.size()});
  add("free_velocity", k.free_velocity, {k.free_velocity.size()});
  add("patch_trees", k.patch_trees, {patches, 2});
  add("patch_contacts", k.patch_contacts, {patches});
  file.add("point", flat(c.point), {n, 3});
  file.add("normal", flat(c.normal), {n, 3});
  file.add("bias", flat(c.bias), {n, 3});
  file.add("previous_impulse", flat(c.previous_impulse), {n, 3});
  add("gap", c.gap, {n});
  add("weight", c.weight, {n});
  add("stiffness", c.stiffness, {n});
  add("dissipation", c.dissipation, {n});
  add("relaxation_time", c.relaxation_time, {n});
  add("friction", c.friction, {n});
  add("jacobians", k.jacobians, {k.jacobians.size()});
  file.write(path);
}

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
