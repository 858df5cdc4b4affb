"""Solo-12 trots: model-predictive control of its centroid, legs by their Jacobians.

Every 20 ms forces of the stance feet are planned over a horizon, so that the centroid follows a velocity upright: a quadratic
program with friction cones,

    min ½ fᵀ H f + gᵀ f,   f in the cones,

of the linear dynamics m v' = Σ f + m g, I ω' = Σ r × f with the feet where they are or will be. It is the problem of the CCP
with H for W, and abut solves it. Torques of stance legs are −Jᵀ f, those of swing legs follow a path to the next foothold, both
with what bears the legs' weight. The control knows positions and velocities, and not the ground.
"""

from dataclasses import dataclass, field

import numpy as np

import abut
from abut.experiments import _robots

LEGS = ("FL", "FR", "HL", "HR")
PAIRS = np.array([0, 1, 1, 0])  # the diagonal that a leg belongs to
JOINTS = ("HAA", "HFE", "KFE")
FOOT = np.array([0, 0, -0.16])  # in the lower leg [m]
PLAN, HORIZON = 0.02, 12  # s, plans
STANCE = 0.16  # s, and as long in the air
HEIGHT, CLEARANCE = 0.2, 0.05  # of the centroid, of swinging feet [m]

FOLLOW = np.array([20, 20, 5, 0, 4, 200, 0.2, 0.2, 0.2, 4, 4, 2.0])  # weights of angles, position, their rates
EFFORT = 1e-3  # weight of forces
STIFFNESS, DAMPING = 250.0, 10.0  # of swinging feet [N/m, N s/m]
GRAVITY = 9.81


def rotation(q: np.ndarray) -> np.ndarray:
    """Matrices of quaternions w, x, y, z: (n, 4) to (n, 3, 3)."""
    w, x, y, z = q.T
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]).transpose(2, 0, 1)


def skew(r: np.ndarray) -> np.ndarray:
    return np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])


def motors(scene: abut.Scene) -> None:
    """The robot with motors in place of the springs of its joints."""
    for leg in LEGS:
        for joint in JOINTS:
            name = f"{leg}_{joint}"
            scene.joint(name).stiffness = 0
            scene.joint(name).damping = 0
            scene.add_actuator(name, name)


@dataclass
class Trot:
    """A controller of a world with one Solo-12: `world.add_controller(Trot(world, speed))`."""

    world: abut.World
    speed: float  # along x [m/s]
    friction: float  # of the plan's cones
    begin: float = 0.2  # s, until then it stands
    forces: np.ndarray = field(default_factory=lambda: np.zeros((4, 3)))  # planned, on the feet [N]
    _planned: int = -1
    _phase: int = -2
    _lifted: np.ndarray = field(default_factory=lambda: np.zeros((4, 3)))

    def __post_init__(self) -> None:
        bodies = self.world.scene.bodies
        names = [body.name for body in bodies]
        self._mass = np.array([body.mass for body in bodies])
        self._centers = np.array([body.center_of_mass for body in bodies])
        self._chains = np.array([[names.index(f"{leg}_{part}") for part in ("SHOULDER", "UPPER_LEG", "LOWER_LEG")] for leg in LEGS])
        self._look()
        self._inertia = sum(r @ b.inertia @ r.T - m * skew(c) @ skew(c) for r, b, m, c in
                            zip(self._turn, bodies, self._mass, self._at - self.center))
        self._hips = self.feet - self.world.positions[0]  # under them feet are put
        self._lifted = self.feet

    def _look(self) -> None:
        """Where all is."""
        w = self.world
        self._turn = rotation(w.orientations)
        self._origin = w.positions
        self._at = self._origin + np.einsum("bij,bj->bi", self._turn, self._centers)
        total = self._mass.sum()
        self.center = self._mass @ self._at / total
        self.velocity = self._mass @ w.linear_velocities / total
        lower = self._chains[:, 2]
        self.feet = self._origin[lower] + self._turn[lower] @ FOOT
        axes = np.stack([self._turn[0] @ [1, 0, 0] + np.zeros((4, 1)), self._turn[self._chains[:, 1]] @ [0, 1, 0],
                         self._turn[lower] @ [0, 1, 0]], axis=1)  # (leg, joint, 3)
        anchors = self._origin[self._chains]
        self.jacobians = np.cross(axes, self.feet[:, None] - anchors).transpose(0, 2, 1)
        self._weights = np.zeros((4, 3))  # torques that bear the links
        for joint in range(3):
            for link in range(joint, 3):
                arm = self._at[self._chains[:, link]] - anchors[:, joint]
                self._weights[:, joint] += GRAVITY * self._mass[self._chains[:, link]] * np.cross(axes[:, joint], arm)[:, 2]

    def _stands(self, time: float) -> np.ndarray:
        """Which feet."""
        if time < self.begin:
            return np.ones(4, bool)
        return PAIRS == int((time - self.begin) / STANCE) % 2

    def _wanted(self, time: float) -> np.ndarray:
        """Velocity, reached within half a second [m/s]."""
        return np.array([self.speed * np.clip((time - self.begin) / 0.5, 0, 1), 0, 0])

    def _footholds(self, ahead: float, wanted: np.ndarray) -> np.ndarray:
        """Where feet are to be put that touch in a time [m]."""
        place = self._origin[0] + self._hips + ahead * self.velocity + 0.5 * STANCE * wanted + 0.15 * (self.velocity - wanted)
        place[:, 2] = np.mean(self.feet[self._stands(self.world.time), 2])
        return place

    def _plan(self, time: float) -> None:
        """Forces of the feet that stand now."""
        wanted = self._wanted(time)
        total = self._mass.sum()
        columns, where = [], []  # of each force: its effect on angular and linear velocity, its plan and foot
        now = self._stands(time)
        ground = float(np.mean(self.feet[now, 2]))
        kept, change = self.feet.copy(), time
        inverse = np.linalg.inv(self._inertia)
        for k in range(HORIZON):
            t = time + k * PLAN + 1e-9
            stands = self._stands(t)
            if k and not np.array_equal(stands, self._stands(t - PLAN)):
                kept, change = self._footholds(t - time, wanted), t
            center = np.array([*(self.center + (t - time) * wanted)[:2], ground + HEIGHT])
            for foot in np.flatnonzero(stands):
                columns.append(PLAN * np.vstack([inverse @ skew(kept[foot] - center), np.eye(3) / total]))
                where.append((k, foot))
        count = len(columns)
        rates = np.zeros((HORIZON, 6, 3 * count))
        for i, (k, _) in enumerate(where):
            rates[k:, :, 3 * i:3 * i + 3] = columns[i]
        poses = PLAN * np.cumsum(rates, axis=0)
        effect = np.concatenate([poses, rates], axis=1)  # (plan, 12, forces)
        spin, angles = self.tilt()
        steps = PLAN * np.arange(1, HORIZON + 1)[:, None]
        fall = np.array([0, 0, -GRAVITY])
        free = np.hstack([angles + steps * spin, self.center + steps * self.velocity + 0.5 * steps * (steps + PLAN) * fall,
                          np.tile(spin, (HORIZON, 1)), self.velocity + steps * fall])
        goal = np.hstack([np.zeros((HORIZON, 3)), np.tile([0, 0, ground + HEIGHT], (HORIZON, 1)), np.zeros((HORIZON, 3)),
                          np.tile(wanted, (HORIZON, 1))])
        hessian = np.einsum("kij,i,kil->jl", effect, FOLLOW, effect) + EFFORT * np.eye(3 * count)
        gradient = np.einsum("kij,i,ki->j", effect, FOLLOW, free - goal)
        answer = abut.FrictionProblem(hessian, gradient.reshape(-1, 3), np.full(count, self.friction)).solve(
            "conic-interior-point", model="ccp", tolerance=1e-6)
        self.forces = np.zeros((4, 3))
        for i, (k, foot) in enumerate(where):
            if k == 0:
                self.forces[foot] = answer.impulse[i]

    def tilt(self) -> tuple[np.ndarray, np.ndarray]:
        """Angular velocity [rad/s]; roll, pitch and yaw [rad] of the base."""
        r = self._turn[0]
        angles = np.array([np.arctan2(r[2, 1], r[2, 2]), -np.arcsin(np.clip(r[2, 0], -1, 1)), np.arctan2(r[1, 0], r[0, 0])])
        return self.world.angular_velocities[0], angles

    def __call__(self, world: abut.World, time: float) -> np.ndarray:
        """Torques [N m], leg by leg."""
        self._look()
        if (plan := int(time / PLAN + 1e-6)) != self._planned:
            self._planned = plan
            self._plan(time)
        phase = int((time - self.begin) / STANCE) if time >= self.begin else -1
        if phase != self._phase:
            self._phase = phase
            self._lifted = self.feet
        stands = self._stands(time)
        torques = self._weights - np.einsum("lij,li->lj", self.jacobians, self.forces)
        if not stands.all():
            wanted = self._wanted(time)
            s = (time - self.begin) / STANCE - phase
            target = self._footholds((1 - s) * STANCE, wanted)
            blend, rate = s * s * (3 - 2 * s), 6 * s * (1 - s) / STANCE
            path = self._lifted + blend * (target - self._lifted)
            path[:, 2] += 16 * CLEARANCE * (s * (1 - s)) ** 2
            pace = rate * (target - self._lifted)
            pace[:, 2] += 32 * CLEARANCE * s * (1 - s) * (1 - 2 * s) / STANCE
            joints = world.velocities[6:].reshape(4, 3)
            base = world.linear_velocities[0] + np.cross(world.angular_velocities[0], self.feet - self._at[0])
            moving = base + np.einsum("lij,lj->li", self.jacobians, joints)
            force = STIFFNESS * (path - self.feet) + DAMPING * (pace - moving)
            swing = ~stands
            torques[swing] = (self._weights + np.einsum("lij,li->lj", self.jacobians, force))[swing]
        return torques.ravel()
