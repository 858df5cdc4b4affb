#pragma once

#include <cstddef>
#include <string_view>

#include "abut/sim/scene.hpp"

// Parts of Scene::validate(), and of what is asked of a scene by index. All throw InputError at the
// first rule broken.

namespace abut {

/// "body 7: the scene has 5 bodies"; `kind`: "body".
[[noreturn]] void fail_index(std::string_view kind, int index, std::size_t count);
void require_finite(const Vec3& value, const char* name, const char* unit, const Origin& at);
/// Of each component: squares of larger ones would overflow in the end.
void require_speed(const Vec3& value, const char* name, const char* unit, const Origin& at);
void require_time_step(double value, std::string_view name, const Origin& at = {});
/// Of substeps, relative to a body's radius.
void require_accuracy(double value, std::string_view name, const Origin& at = {});
void require_not_negative(double value, const char* name, const Origin& at);
/// Of the free and ball joints among a body's joint coordinates, which are as many as it has.
void require_unit_quaternions(const SceneBody& body, const std::vector<double>& coordinates,
                              const Origin& at);
/// A finite place, a matrix that turns.
void validate_pose(const Pose& pose, const Origin& at);

// What acts on joints and bodies.
void validate_actuator(const Scene& scene, const SceneActuator& actuator, const Origin& at);
void validate_equality(const Scene& scene, const SceneEquality& equality, const Origin& at);
void validate_tendon(const Scene& scene, const SceneTendon& tendon, const Origin& at);

}  // namespace abut
