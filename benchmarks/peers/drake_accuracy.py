#!/usr/bin/env python3
"""Simulates a clutter scene with Drake's error-controlled integrator and prints, as one line of JSON, what it cost
and where the bodies are at the end:
    drake_accuracy.py SCENE.json ACCURACY DURATION
"""

import importlib.metadata
import json
import sys
import time

import pydrake.multibody.cenic  # noqa: F401, knows the integrator by its name
from pydrake.multibody.plant import AddMultibodyPlant, MultibodyPlantConfig
from pydrake.systems.analysis import ApplySimulatorConfig, Simulator, SimulatorConfig
from pydrake.systems.framework import DiagramBuilder

from drake_step import add_scene


def main(path, accuracy, duration):
    with open(path, encoding="utf-8") as f:
        scene = json.load(f)
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlant(MultibodyPlantConfig(time_step=0), builder)
    add_scene(plant, scene)
    diagram = builder.Build()
    simulator = Simulator(diagram)
    ApplySimulatorConfig(SimulatorConfig(integration_scheme="cenic", accuracy=accuracy,
                                         max_step_size=0.1, use_error_control=True), simulator)
    simulator.Initialize()
    integrator = simulator.get_integrator()
    start = time.perf_counter()
    simulator.AdvanceTo(duration)
    seconds = time.perf_counter() - start
    context = plant.GetMyContextFromRoot(simulator.get_context())
    positions = [plant.EvalBodyPoseInWorld(context, plant.GetBodyByName(f"body{i}")).translation().tolist()
                 for i in range(len(scene["bodies"]))]
    print(json.dumps({"seconds": seconds, "steps": integrator.get_num_steps_taken(),
                      "rejected": integrator.get_num_step_shrinkages_from_error_control(),
                      "positions": positions, "version": importlib.metadata.version("drake")}))


main(sys.argv[1], float(sys.argv[2]), float(sys.argv[3]))
