"""abut: contact dynamics with a certificate for every step.

    import abut

    scene = abut.load("scene.xml")          # MJCF, URDF (.urdf) or a scene file (.toml)
    world = abut.World(scene, model="lagged")
    world.step(1000)
    print(world.time, world.positions, world.report.certificate.step_error)

SI units, radians; quaternions are w, x, y, z. Wrong input raises InputError (a ValueError), a file that
cannot be read or written FileError (an OSError). docs/python.md is the guide.
"""

from abut._core import (
    ActuatorState,
    BodyState,
    Camera,
    Certificate,
    ContactProblem,
    FileError,
    ForceCertificate,
    ForceProblem,
    ForceSolution,
    FrictionCertificate,
    FrictionProblem,
    FrictionSolution,
    HessianFactor,
    ImpliedContact,
    InputError,
    PairForce,
    RigidErrors,
    Scene,
    SceneActuator,
    SceneBody,
    SceneGeom,
    SceneJoint,
    Shape,
    SimulationSettings,
    SimulationWarning,
    Snapshot,
    Solution,
    SolveReport,
    StageTimes,
    StepReport,
    Violation,
    WarningRecord,
    World,
    active_isa,
    certify,
    contact_dtype,
    contact_models,
    convex_models,
    evaluate_normal_law,
    friction_solver_names,
    implied_contact,
    load_friction_problem,
    load_problem,
    load_scene_file,
    load_scene_text,
    normal_laws,
    page_available,
    rigid_models,
    save_problem,
    solve,
    solver_names,
    stepping_schemes,
    velocity_schemes,
    version,
)
from abut import _hints  # noqa: F401
from abut.recording import Recording, RecordingWriter, open_recording
from abut.view import replay

__version__ = version()

load = load_scene_file
"""The same function: loads a scene file (.toml), a URDF (.urdf) or a MJCF file."""

__all__ = [
    "ActuatorState", "BodyState", "Camera", "Certificate", "ContactProblem", "FileError",
    "ForceCertificate", "ForceProblem", "ForceSolution", "FrictionCertificate", "FrictionProblem", "FrictionSolution", "HessianFactor", "ImpliedContact",
    "InputError", "PairForce", "Recording", "RecordingWriter", "RigidErrors", "Scene",
    "SceneActuator", "SceneBody", "SceneGeom", "SceneJoint", "Shape", "SimulationSettings",
    "SimulationWarning", "Snapshot", "Solution", "SolveReport", "StageTimes", "StepReport",
    "Violation", "WarningRecord", "World", "active_isa", "certify", "contact_dtype",
    "contact_models", "convex_models", "evaluate_normal_law", "friction_solver_names", "implied_contact", "load",
    "load_friction_problem", "load_problem", "load_scene_file", "load_scene_text", "normal_laws",
    "open_recording", "page_available", "replay", "rigid_models", "save_problem", "solve",
    "solver_names", "stepping_schemes", "velocity_schemes", "version",
]
