// Every number of a scene, one at a time: wrong ones are refused or of no account, right ones are
// kept when the scene is written.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "abut/io/scene_bytes.hpp"
#include "abut/io/scene_fields.hpp"
#include "abut/io/snapshot_bytes.hpp"
#include "abut/sim/world.hpp"
#include "support/every_kind.hpp"

namespace abut {
namespace {

/// Numbers of type Number in what it visits, and where they are: "5[2].7" is the eighth member of
/// the third element of the sixth member.
template <class Number>
class Numbers {
 public:
  struct Place {
    Number* number;
    std::string path;
  };
  std::vector<Place> places;

  template <class... T>
  void operator()(T&... members) {
    int k = 0;
    (take(members, '.', k++, ""), ...);
  }

 private:
  template <class T>
  static constexpr bool is_leaf =
      std::is_arithmetic_v<T> || std::is_enum_v<T> || std::same_as<T, std::string>;

  template <class T>
  void take(T& value, char begin, int number, const char* end) {
    const std::size_t length = path_.size();
    (path_ += begin).append(std::to_string(number)).append(end);
    take_here(value);
    path_.resize(length);
  }
  template <class T>
  void take_here(T& value) {
    if constexpr (std::same_as<T, Number>) {
      places.push_back({&value, path_});
    } else if constexpr (std::same_as<T, Vec3>) {
      (*this)(value.x, value.y, value.z);
    } else if constexpr (std::same_as<T, Quaternion>) {
      (*this)(value.w, value.x, value.y, value.z);
    } else if constexpr (std::same_as<T, Mat3>) {
      take_all(value.col);
    } else if constexpr (!is_leaf<T>) {
      visit_fields(value, *this);
    }
  }
  template <class T>
  void take_here(std::shared_ptr<T>&) {}
  template <class T>
  void take_here(std::optional<T>& value) {
    if (value) take_here(*value);
  }
  template <class A, class B>
  void take_here(std::pair<A, B>& value) {
    (*this)(value.first, value.second);
  }
  template <class T>
  void take_here(std::vector<T>& values) {
    take_all(values);
  }
  template <class T, std::size_t n>
  void take_here(T (&values)[n]) {
    take_all(values);
  }
  template <class T, std::size_t n>
  void take_here(std::array<T, n>& values) {
    take_all(values);
  }
  template <class Values>
  void take_all(Values& values) {
    int k = 0;
    for (auto& v : values) take(v, '[', k++, "]");
  }

  std::string path_;
};

template <class Number>
std::vector<typename Numbers<Number>::Place> numbers_of(Scene& scene) {
  Numbers<Number> numbers;
  visit_fields(scene, numbers);
  return numbers.places;
}

struct Motion {
  std::string end;  ///< bytes of the last state
  bool finite = true;
};

Motion motion_of(const Scene& scene) {
  World w(scene);
  for (int a = 0; a < w.actuators(); ++a) w.set_control(a, 0.5);
  for (int i = 0; i < 3; ++i) w.step();
  const State& s = w.state();
  Motion m{encode(w.snapshot())};
  for (const FreeBodyState& b : s.free_bodies) {
    m.finite = m.finite && is_finite(b.center) && is_finite(b.linear_velocity) &&
               is_finite(b.angular_velocity);
  }
  for (const auto* list : {&s.coordinates, &s.velocities, &s.activations}) {
    for (const double x : *list) m.finite = m.finite && std::isfinite(x);
  }
  return m;
}

/// What is wrong with a scene that has a wrong number; empty where it is refused or moves as
/// before.
std::string fault_of(const Scene& scene, const Motion& right, bool may_move_otherwise) {
  try {
    const Motion m = motion_of(scene);
    if (!m.finite) return "is taken, and the motion is not finite";
    if (!may_move_otherwise && m.end != right.end) return "is taken, and changes the motion";
  } catch (const InputError&) {
    return "";
  }
  return "";
}

TEST(SceneNumbers, NotANumberIsRefusedOrOfNoAccount) {
  Scene scene = scene_of_every_kind();
  const Motion right = motion_of(scene);
  ASSERT_TRUE(right.finite);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto places = numbers_of<double>(scene);
  ASSERT_GT(places.size(), 1000u);
  for (const auto& [number, path] : places) {
    const double before = *number;
    for (const double wrong : {std::nan(""), infinity, -infinity}) {
      *number = wrong;
      // an infinite bound is none
      EXPECT_EQ(fault_of(scene, right, std::isinf(wrong)), "") << path << " = " << wrong;
    }
    *number = before;
  }
}

TEST(SceneNumbers, OfWhatIsNotThereAreRefusedOrOfNoAccount) {
  Scene scene = scene_of_every_kind();
  const Motion right = motion_of(scene);
  const auto places = numbers_of<int>(scene);
  ASSERT_GT(places.size(), 100u);
  for (const auto& [number, path] : places) {
    const int before = *number;
    for (const int wrong : {-2, 1000, std::numeric_limits<int>::min(), INT32_MAX}) {
      *number = wrong;
      EXPECT_EQ(fault_of(scene, right, false), "") << path << " = " << wrong;
    }
    *number = before;
  }
}

TEST(SceneBytes, HoldEveryNumber) {
  SceneFile file;
  file.scene = scene_of_every_kind();
  const std::string before = encode(file);
  const auto check = [&](auto places) {
    for (const auto& [number, path] : places) {
      const auto kept = *number;
      *number = kept == 0 ? 1 : 0;
      const std::string changed = encode(file);
      EXPECT_NE(changed, before) << path;
      EXPECT_EQ(encode(decode_scene(changed)), changed) << path;
      *number = kept;
    }
  };
  check(numbers_of<double>(file.scene));
  check(numbers_of<int>(file.scene));
  check(numbers_of<bool>(file.scene));
  check(numbers_of<std::uint32_t>(file.scene));
  check(numbers_of<float>(file.scene));
  EXPECT_EQ(encode(file), before);
}

}  // namespace
}  // namespace abut
