#pragma once

#include "abut/io/mjcf.hpp"
#include "abut/sim/scene.hpp"

namespace abut {

/// Bodies, joints, actuators, equality constraints, tendons, drag, pairs and a keyframe of every
/// kind, some in contact: an arm, a walker that floats, and free bodies.
inline Scene scene_of_every_kind() {
  constexpr const char* text = R"(<mujoco><compiler angle="radian"/>
<option timestep="0.002" density="1.2" viscosity="0.01" wind="1 0.5 0"/>
<worldbody>
  <geom name="floor" type="plane" size="2 2 .1" surfacevel="0.1 0.05 0 0 0 0.2"/>
  <site name="hook" pos="0.3 0 1.5"/>
  <body name="post" pos="0.8 0 0.5" quat="0.8 0.6 0 0"><geom type="box" size="0.1 0.1 0.2"/></body>
  <body name="ball" pos="-0.5 0.1 0.099"><freejoint/><geom name="ball" size="0.1" mass="1"/></body>
  <body name="crate" pos="0.4 -0.6 0.6" quat="0.6 0 0.8 0"><freejoint/>
    <geom type="box" size="0.1 0.05 0.05" pos="0.01 0 0.02" mass="2"
      surfacevel="0 0.2 0.1 0.5 0 0"/><site name="edge" pos="0.1 0 0"/></body>
  <body name="lid" pos="0.4 -0.6 0.8"><freejoint/><geom type="capsule" size="0.03 0.1" mass="0.3"/></body>
  <body name="swing" pos="-1 0 1"><freejoint/><geom type="cylinder" size="0.1 0.1" mass="1"/></body>
  <body name="arm" pos="0 0.2 1.2">
    <joint name="shoulder" axis="0 1 0" ref="0.2" damping="0.1" range="-1 0.25" frictionloss="0.02"/>
    <geom type="capsule" size="0.03" fromto="0 0 0 0.4 0 0" mass="1"/>
    <body name="hand" pos="0.4 0 0"><joint name="wrist" type="ball" damping="0.01"/>
      <geom type="box" size="0.05 0.04 0.03" pos="0.05 0 0" mass="0.5"/><site name="tip"/>
      <body name="finger" pos="0.1 0 0">
        <joint name="slide" type="slide" axis="1 0 0" range="0 0.1" stiffness="50" springref="0.05"
          armature="0.01"/>
        <geom type="ellipsoid" size="0.03 0.02 0.02" mass="0.1"/></body></body>
  </body>
  <body name="walker" pos="1.5 0 0.3"><freejoint/><geom type="box" size="0.2 0.1 0.05" mass="3"/>
    <body name="leg" pos="0.2 0 0"><joint name="hip" axis="0 1 0" range="-1.5 1.5"/>
      <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.3" mass="0.4"/></body>
    <body name="tail" pos="-0.2 0 0"><joint name="tail" axis="0 0 1"/>
      <joint name="flap" axis="0 1 0"/>
      <geom type="capsule" size="0.02" fromto="0 0 0 -0.3 0 0" mass="0.2"/></body>
  </body>
</worldbody>
<contact><exclude body1="walker" body2="ball"/><pair geom1="floor" geom2="ball" friction="0.3"/></contact>
<equality>
  <connect body1="swing" anchor="0.2 0 0.3"/>
  <weld body1="lid" body2="crate"/>
  <joint joint1="tail" joint2="hip" polycoef="0 0.5 0.1 0 0"/>
  <tendon tendon1="sum" polycoef="0.1 0 0 0 0"/>
</equality>
<tendon>
  <spatial name="string" stiffness="30" springlength="0.2" damping="1"><site site="hook"/>
    <site site="tip"/></spatial>
  <spatial name="rope" range="0 0.8" frictionloss="0.1"><site site="edge"/><site site="tip"/>
    <site site="hook"/></spatial>
  <fixed name="sum"><joint joint="flap" coef="2"/><joint joint="hip" coef="-0.5"/></fixed>
</tendon>
<actuator>
  <motor name="motor" joint="shoulder" gear="2" ctrlrange="-1 1"/>
  <position name="position" joint="slide" kp="100" kv="2" forcerange="-3 3"/>
  <velocity name="velocity" joint="hip" kv="0.4"/>
  <general name="filter" joint="tail" dyntype="filterexact" dynprm="0.1" gainprm="0.3"/>
  <general name="early" joint="flap" dyntype="integrator" actrange="-1 0.5" actearly="true"
    gainprm="0.1"/>
  <motor name="pull" tendon="sum" gear="0.2"/>
</actuator>
<keyframe><key name="bent" time="3"/></keyframe></mujoco>)";
  Scene scene = load_mjcf_text(text, "every_kind.xml");
  SceneActuator slow = scene.actuators[0];
  slow.name = "slow";
  slow.velocity_limit = 2;
  scene.actuators.push_back(slow);
  return scene;
}

}  // namespace abut
