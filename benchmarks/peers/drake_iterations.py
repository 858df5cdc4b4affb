#!/usr/bin/env python3
"""Simulates a clutter scene in fixed steps of Drake's convex integrator (Lagged friction) and prints, as one line of
JSON, how many iterations of Newton's method it took:
    drake_iterations.py SCENE.json TOLERANCE DT DURATION
"""

import importlib.metadata
import json
import sys

import pydrake.multibody.cenic  # noqa: F401, knows the integrator by its name
from pydrake.multibody.plant import AddMultibodyPlant, MultibodyPlantConfig
from pydrake.systems.analysis import ApplySimulatorConfig, Simulator, SimulatorConfig
from pydrake.systems.framework import DiagramBuilder

from drake_step import add_scene


def main(path, tolerance, dt, duration):
    with open(path, encoding="utf-8") as f:
        scene = json.load(f)
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlant(MultibodyPlantConfig(time_step=0), builder)
    add_scene(plant, scene)
    simulator = Simulator(builder.Build())
    ApplySimulatorConfig(SimulatorConfig(integration_scheme="cenic", max_step_size=dt, use_error_control=False),
                         simulator)
    integrator = simulator.get_mutable_integrator()
    parameters = integrator.get_solver_parameters()
    parameters.min_tolerance = tolerance
    integrator.SetSolverParameters(parameters)
    simulator.Initialize()
    simulator.AdvanceTo(duration)
    counts = dict(integrator.GetStatisticsSummary())
    steps = counts["integrator_num_steps_taken"]
    print(json.dumps({"steps": steps, "iterations": counts["cenic_total_solver_iterations"] / steps,
                      "version": importlib.metadata.version("drake")}))


main(sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]))
