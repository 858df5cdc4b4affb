"""python -m abut.demo [DIRECTORY]: simulates a small heap, says how it went, records it."""

import argparse
import time
from pathlib import Path

import numpy as np

import abut


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m abut.demo", description=__doc__)
    parser.add_argument("directory", nargs="?", default="abut-demo", type=Path,
                        help="where the recording goes (default: abut-demo)")
    directory = parser.parse_args().directory
    directory.mkdir(parents=True, exist_ok=True)

    scene = abut.load(Path(__file__).with_name("demo.toml"))
    world = abut.World(scene)
    steps = round((scene.simulation.duration or 1) / world.time_step)
    print(f"{len(world.moving)} bodies, model {world.model}, {steps} steps of "
          f"{1e3 * world.time_step:g} ms")
    path = directory / "recording.bin"
    start = time.perf_counter()
    with abut.RecordingWriter(path, world) as recording:
        world.step(steps, recording=recording)
    wall = time.perf_counter() - start

    recording = abut.open_recording(path)
    done = recording.steps
    mass = sum(scene.bodies[b].mass for b in world.moving)
    weight = mass * np.linalg.norm(scene.gravity)
    floor = sum(world.pair_force("ground", scene.bodies[b].name or f"body{b}").normal_force[2]
                for b in world.moving)
    print(f"simulated {world.time:g} s in {wall:.2f} s, {world.time / wall:.1f} times real time")
    print(f"certificate: step error {done['step_error'].max():.1e} at worst, "
          f"{np.count_nonzero(done['status'])} of {len(done)} steps not converged")
    print(f"energy {done['kinetic_energy'][0] + done['potential_energy'][0]:.2f} J at the start, "
          f"{done['kinetic_energy'][-1] + done['potential_energy'][-1]:.2f} J at the end")
    print(f"the floor carries {floor:.2f} N of {weight:.2f} N of weight, by "
          f"{len(world.contacts)} contacts in all")
    print(f"recording: {path}")
    if abut.page_available():
        page = directory / "replay.html"
        abut.replay(path, page)
        print(f"replay: {page}")


if __name__ == "__main__":
    main()
