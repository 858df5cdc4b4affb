"""Rolling on a slope under rigid models: closed forms."""

import math

import numpy as np
import pytest

import abut

GRAVITY, RADIUS, STEP = 9.81, 0.1, 1e-3


@pytest.mark.parametrize("model", ["ncp", "lcp"])
@pytest.mark.parametrize("slope, friction", [(0.2, 0.5), (0.3, 0.1), (0.5, 0.1)])
def test_a_sphere_rolls_or_slides_down_a_slope(model, slope, friction):
    scene = abut.Scene()
    scene.gravity = [GRAVITY * math.sin(slope), 0, -GRAVITY * math.cos(slope)]
    scene.add_ground()
    inertia = 0.4 * RADIUS**2
    scene.add_body("ball", abut.Shape.sphere(RADIUS), position=[0, 0, RADIUS], mass=1, inertia=[inertia] * 3)
    world = abut.World(scene, model=model, time_step=STEP, friction=friction, tolerance=1e-10)
    world.step(200)
    state = world.body_state("ball")
    if math.tan(slope) <= 3.5 * friction:
        a = 5 / 7 * GRAVITY * math.sin(slope)
        alpha = a / RADIUS
    else:
        a = GRAVITY * (math.sin(slope) - friction * math.cos(slope))
        alpha = 5 * friction * GRAVITY * math.cos(slope) / (2 * RADIUS)
    assert state.linear_velocity == pytest.approx(np.array([0.2 * a, 0, 0]), abs=1e-6)
    assert state.angular_velocity == pytest.approx(np.array([0, 0.2 * alpha, 0]), abs=1e-5)
