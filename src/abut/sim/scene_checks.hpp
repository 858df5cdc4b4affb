#pragma once

#include "abut/sim/scene.hpp"

// Parts of Scene::validate(). All throw InputError at the first rule broken.

namespace abut {

void require_finite(const Vec3& value, const char* name, const char* unit, const Origin& at);
/// Of each component: squares of larger ones would overflow in the end.
void require_speed(const Vec3& value, const char* name, const char* unit, const Origin& at);
void require_not_negative(double value, const char* name, const Origin& at);

// What acts on joints and bodies.
void validate_actuator(const Scene& scene, const SceneActuator& actuator, const Origin& at);
void validate_equality(const Scene& scene, const SceneEquality& equality, const Origin& at);
void validate_tendon(const Scene& scene, const SceneTendon& tendon, const Origin& at);

}  // namespace abut
