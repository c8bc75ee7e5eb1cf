# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Interface of the simulated plant to a physics engine.

A `World` is the robot's chain among immovable obstacles: joint torques in, motion and forces out;
no servos, no sensors, no seeds. The plant around it (`boa_sim.plant`) works on any. An engine is a
class that makes worlds, registered by name (`boa_sim.engines`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeGuard, TypeVar

import numpy as np

from boa_control.plant import GroundTruth
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.gearbox_friction import GearboxFriction
from boa_description.robot import Robot
from boa_description.scene import ContactModel, GroundFriction, Obstacle
from boa_description.terrain import Terrain


class World(Protocol):
    """A chain that moves by itself in steps of its own.

    After `place` or `refresh` everything below belongs to the present instant, under the torque of
    the last step; between `advance` and `refresh` forces and accelerations may be those of the
    instant before. Arrays handed out are the caller's and do not change later.
    """

    @property
    def step(self) -> float:
        """Time that `advance` takes, s."""

    def place(self, base: Array, joints: Array) -> None:
        """Put the chain at rest at a pose in the plane of the floor.

        Args:
            base: shape (3,), x, y, heading of link 1, m and rad.
            joints: shape (n_joints,), rad.
        """

    def advance(self, torque: Array) -> None:
        """Make one step with joint torques (n_joints,), N m, as the current through the motor
        counts.
        """

    def refresh(self) -> None:
        """Bring forces and accelerations up to the present instant; changes no motion."""

    @property
    def finite(self) -> bool:
        """Whether the state is still a number everywhere."""

    @property
    def joint_position(self) -> Array:
        """Shape (n_joints,), rad."""

    @property
    def joint_velocity(self) -> Array:
        """Shape (n_joints,), rad/s."""

    @property
    def joint_force(self) -> Array:
        """Force that link i + 1 exerts on link i, (n_joints, 3), in the frame of link i + 1, N."""

    @property
    def heading(self) -> Array:
        """Turn of every link about the vertical, shape (n_links,), rad, not wrapped."""

    @property
    def orientation(self) -> Array:
        """Quaternions x, y, z, w of all links in the world, shape (n_links, 4)."""

    @property
    def angular_velocity(self) -> Array:
        """Of every link, shape (n_links, 3), link frames, rad/s."""

    @property
    def acceleration(self) -> Array:
        """Of the link centres without gravity, shape (n_links, 3), link frames, m/s2."""

    def truth(self, stamp_ns: int) -> GroundTruth:
        """State at the present instant, which is `stamp_ns`. Forces of contacts are those of this
        instant where contacts are soft; where there are impacts and weight, their means over the
        steps between the last two refreshes: what changed the momentum.
        """


def require_readings(world: World, robot: Robot, step: float, what: str) -> None:
    """Raise BoaError unless a world makes steps of `step`, s, and its readings have the shapes that
    `World` says.
    """
    if world.step != step:
        raise BoaError(
            f"{what}: its step is {world.step} s; that of plant.physics_step, {step:g} s, is wanted"
        )
    joints, links = robot.joints, robot.links
    for name, shape in {
        "joint_position": (joints,),
        "joint_velocity": (joints,),
        "joint_force": (joints, 3),
        "heading": (links,),
        "orientation": (links, 4),
        "angular_velocity": (links, 3),
        "acceleration": (links, 3),
    }.items():
        given = np.shape(getattr(world, name))
        if given != shape:
            raise BoaError(f"{what}: its {name} has the shape {given}; {shape} is wanted")
    if world.truth(0) is None:
        raise BoaError(f"{what}: its truth is None; a GroundTruth is wanted")


class SpatialWorld(World, Protocol):
    """A world for robots that leave the plane: they lie on its floor with their weight."""

    def place(self, base: Array, joints: Array, roll: float = 0.0) -> None:
        """Put the chain at rest, its lowest point on the floor.

        Args:
            base, joints: as of `World`.
            roll: of link 1 about its own axis, rad.
        """


def require_no_obstacles(robot: Robot, obstacles: Sequence[Obstacle]) -> None:
    """Refuse obstacles around a robot that leaves the plane.

    Raises:
        BoaError: there are some.
    """
    if obstacles:
        raise BoaError(
            f"scene.obstacles: {robot.name} leaves the plane, where the world has a floor and no "
            "obstacles yet; leave them out"
        )


class PushableWorld(World, Protocol):
    """A world whose links can be pushed from outside. Engines need not offer it."""

    def push(self, pushes: Mapping[int, Array]) -> None:
        """The wrenches that act from the next step on, instead of those before: link -> (3,), force
        along its x and y axis at its centre, N, and torque about the vertical, N m. `place` ends
        them.
        """


def is_pushable(world: World) -> TypeGuard[PushableWorld]:
    """Whether the links of this world can be pushed."""
    return callable(getattr(world, "push", None))


class RearrangeableWorld(World, Protocol):
    """A world whose obstacles can be taken away and put back."""

    def stand(self, standing: Sequence[bool]) -> None:
        """Which of the obstacles stand, from the next step on; at first all of them."""


def is_rearrangeable(world: World) -> TypeGuard[RearrangeableWorld]:
    """Whether obstacles of this world can be taken away."""
    return callable(getattr(world, "stand", None))


class ReplayableWorld(World, Protocol):
    """A world whose chain can be put in motion."""

    def launch(self, base_velocity: Array, joint_velocity: Array, torque: Array) -> None:
        """After `place`: let the chain move.

        Args:
            base_velocity: of link 1, rates of its pose, shape (3,), m/s and rad/s.
            joint_velocity: shape (n_joints,), rad/s.
            torque: N m, shape (n_joints,): its sign says on which flank each gearbox lies.
        """


def is_replayable(world: World) -> TypeGuard[ReplayableWorld]:
    """Whether the chain of this world can be put in motion."""
    return callable(getattr(world, "launch", None))


class GearedWorld(World, Protocol):
    """A world that knows gearboxes whose friction grows with the load, and backlash."""

    @property
    def motor_rate(self) -> Array:
        """Rate of the motor's side of every gearbox, seen at the joint, shape (n_joints,), rad/s;
        without backlash the joint's.
        """

    @property
    def delivered(self) -> Array:
        """Torque that every gearbox passes on to the links, shape (n_joints,), N m: the motor's
        less friction and what accelerates its rotor.
        """


def is_geared(world: World) -> TypeGuard[GearedWorld]:
    """Whether this world knows such gearboxes."""
    return hasattr(type(world), "delivered")  # of the class: of the world it would be worked out


def motor_rate(world: World) -> Array:
    """Rates of the motors' side of the gearboxes, shape (n_joints,), rad/s; of a world that does
    not tell them apart, those of the joints.
    """
    return world.motor_rate if is_geared(world) else world.joint_velocity


AnyWorld = TypeVar("AnyWorld", bound=World, covariant=True)


class LoadedGears(NamedTuple):
    """Gearboxes of all joints whose friction grows with the load.

    Attributes:
        friction: of every joint, coefficients of shape (n_joints,).
        calibration: motor torque per commanded torque, shape (n_joints,).
    """

    friction: GearboxFriction
    calibration: Array


@dataclass(frozen=True, slots=True)
class Physics:
    """Laws and numbers of a world, beside its robot and its obstacles.

    Attributes:
        contact: between links and obstacles, or the floor.
        ground: friction of the floor, for robots that stay in the plane.
        terrain: steps and gaps of the floor, for robots that leave it.
        step: s.
        coulomb: dry friction in every joint, whatever its load, N m; one value, or one of each
            joint, shape (n_joints,).
        gears: friction that grows with the load, beside that; None: none does.
        backlash: way of the motor from one flank of its gearbox to the other, at the joint, rad.
        extra_damping: viscous friction in every joint beside the description's, N m s.
        mass_scale: shape (n_links,), factor on mass and inertia of every link; all 1 when None.
        downhill: part of gravity along a tilted floor, x and y in the map, m/s2; for robots that
            stay in the plane.
    """

    contact: ContactModel = field(default_factory=ContactModel)
    ground: GroundFriction = field(default_factory=GroundFriction)
    terrain: Terrain = ()
    step: float = 0.001
    coulomb: Array | float = 0.0
    gears: LoadedGears | None = None
    backlash: float = 0.0
    extra_damping: float = 0.0
    mass_scale: Array | None = None
    downhill: tuple[float, float] = (0.0, 0.0)


PLAIN = Physics()


class Engine(Protocol[AnyWorld]):
    """Makes worlds: `World`, or `SpatialWorld` for robots that leave the plane. A class with this
    constructor is one.
    """

    def __call__(
        self, robot: Robot, obstacles: Sequence[Obstacle] = (), physics: Physics = PLAIN
    ) -> AnyWorld:
        """Make a world, the chain straight at the origin.

        Raises:
            BoaError: the engine cannot simulate that; says what and the remedy.
        """
