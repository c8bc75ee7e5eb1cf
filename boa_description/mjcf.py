# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The MuJoCo model of a robot and its obstacles, built through MjSpec."""

import math
from collections.abc import Sequence
from typing import Any, Literal

import mujoco
import numpy as np

from boa_description import frames
from boa_description.errors import BoaError
from boa_description.robot import Robot, require_planar
from boa_description.scene import GRAVITY, Box, Circle, ContactModel, Obstacle, Wall
from boa_description.staging import add_staging
from boa_description.terrain import Terrain

Obstacles = Sequence[Obstacle]
Base = Literal["planar", "free"]
Settings = dict[str, Any]  # of the contacts of a geom, as MjSpec calls them

# Collision classes: a link (type 1) touches whatever has affinity 1, and links have none for each
# other.
LINK_TYPE, SOLID_AFFINITY = 1, 1

Colour = tuple[float, float, float, float]
# neighbouring links differ
HULL: tuple[Colour, Colour] = (
    (0.16, 0.42, 0.36, 1),
    (0.20, 0.52, 0.44, 1),
)
HEAD_COLOUR: Colour = (0.93, 0.55, 0.14, 1)
JOINT_COLOUR: Colour = (0.12, 0.13, 0.15, 1)
EYE_COLOUR: Colour = (0.08, 0.08, 0.08, 1)
OBSTACLE_COLOUR: Colour = (0.62, 0.65, 0.72, 1)
FRICTION_IMPEDANCE = 10.0  # of friction against normal force; 1 lets standing contacts creep
ROTOR_MASS = 1e-9  # kg and kg m2; a rotor's inertia is that of its joint (armature)
# flanks of a gearbox with backlash: critically damped, time constant s; impedance
FLANK_SOLREF, FLANK_SOLIMP = [0.004, 1.0], [0.9, 0.95, 0.001, 0.5, 2.0]
POST_HEIGHT = 3.0  # of the cylindrical part, in link radii; the robot is two high


def build_spec(
    robot: Robot,
    obstacles: Obstacles = (),
    contact: ContactModel | None = None,
    *,
    base: Base = "planar",
    physics_step: float = 0.001,
    terrain: Terrain = (),
    backlash: float = 0.0,
) -> mujoco.MjSpec:
    """Build the MuJoCo model.

    Generalised coordinates with a planar base are q = [x, y, theta_1, phi_1 .. phi_{n-1}]; (x, y)
    is the tail-side end of link 1. Control i is the torque of joint i, N m; the model holds no
    other actuator. Names: `frames`.

    The force sensors read what link i exerts on link i + 1, in the frame of link i + 1 (MuJoCo:
    parent on child); the plant contract wants the reaction, which is the negative. Motors act
    between the links and do not appear.

    Args:
        robot: the robot.
        obstacles: immovable; obstacle k becomes geom `frames.obstacle_geom(k)`.
        contact: settings of every contact between link and obstacle, and floor where it is solid.
            With a planar base contacts are frictionless in the model (condim 1): MuJoCo's convex
            friction lifts sliding contacts, so `contact.friction` is the plant's business. With a
            free base friction is MuJoCo's own, with elliptic cones.
        base: "planar" moves in the plane z = radius without gravity; "free" moves in space, under
            gravity, on a floor. A robot with a fixed mount has no base coordinates at all; link 1
            is bolted where its body stands.
        physics_step: s.
        terrain: steps and gaps of a solid floor.
        backlash: rad; above 0 every motor has a coordinate of its own behind all others, with rotor
            inertia and viscous friction, and pushes its joint at the two ends of the gap.

    Returns:
        The spec, not compiled, so that callers can add to it. Gearbox friction is left to the plant
        (joint frictionloss 0); rotor inertia and viscous friction are in the model.

    Raises:
        BoaError: the contacts are too stiff for the physics step; a planar base under a robot that
            leaves the plane.
    """
    contact = contact or ContactModel()
    if base == "planar":
        require_planar(robot, "a MuJoCo model with a planar base")
    _check_time_constant(contact, physics_step)
    spec = mujoco.MjSpec()
    spec.modelname = robot.name
    _set_physics(spec, base, physics_step)
    settings = _contact_settings(contact, base)
    first = spec.worldbody.add_body(name=robot.link_names[0], pos=[0, 0, robot.link.radius])
    if robot.mount == "floating":
        _add_base(first, base)
    _add_chain(spec, robot, first, settings)
    if backlash > 0:
        for joint in robot.joint_names:
            _add_rotor(spec, robot, joint, backlash)
    for index, obstacle in enumerate(obstacles):
        _add_obstacle(
            spec.worldbody, frames.obstacle_geom(index), obstacle, robot.link.radius, settings
        )
    solid = _contact_settings(contact, base) if base == "free" else None
    add_staging(spec, robot, obstacles, solid, terrain)
    return spec


def _set_physics(spec: mujoco.MjSpec, base: Base, physics_step: float) -> None:
    """Implicit integration of joint damping keeps stiff dampers stable at any step; contacts are
    solved by Newton.
    """
    spec.compiler.degree = False
    option = spec.option
    option.timestep = physics_step
    option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    option.solver = mujoco.mjtSolver.mjSOL_NEWTON
    option.tolerance = 1e-10
    if base == "free":
        option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        option.impratio = FRICTION_IMPEDANCE
    option.gravity = [0, 0, 0] if base == "planar" else [0, 0, -GRAVITY]


def _check_time_constant(contact: ContactModel, physics_step: float) -> None:
    """MuJoCo would quietly raise a positive solref time constant to two steps."""
    if 0 < contact.solref[0] < 2 * physics_step:
        raise BoaError(
            f"contact.solref: time constant {contact.solref[0]:g} s is below two physics steps, "
            f"{2 * physics_step:g} s; raise it, or give -stiffness and -damping"
        )


def _add_base(body: Any, base: Base) -> None:
    if base == "free":
        body.add_freejoint(name=frames.FREE_JOINT)
        return
    slide, hinge = mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE
    kinds = ((slide, [1, 0, 0]), (slide, [0, 1, 0]), (hinge, [0, 0, 1]))
    for name, (kind, axis) in zip(frames.BASE_JOINTS, kinds, strict=True):
        body.add_joint(name=name, type=kind, axis=axis)


def _add_chain(spec: mujoco.MjSpec, robot: Robot, first: Any, settings: Settings) -> None:
    """Put link 1 into body `first` and hang every further link on the one before."""
    body = first
    for index, link in enumerate(robot.link_names):
        if index > 0:
            body = body.add_body(name=link, pos=[robot.link.pitch, 0, 0])
            _add_joint(spec, robot, body, index - 1)
        _add_link(spec, robot, body, index, settings)
    body.add_site(
        name=frames.HEAD, pos=[robot.link.pitch, 0, 0], size=[0.1 * robot.link.radius] * 3
    )


def _add_joint(spec: mujoco.MjSpec, robot: Robot, body: Any, index: int) -> None:
    """Hinge, motor and force sensor between `body` and the link before it."""
    actuator, joint = robot.actuator, robot.joint_names[index]
    body.add_joint(
        name=joint,
        type=mujoco.mjtJoint.mjJNT_HINGE,
        axis=list(robot.joint_axes[index]),
        limited=True,
        range=[robot.joint.lower, robot.joint.upper],
        armature=actuator.armature,
        damping=[actuator.damping, 0, 0],
    )
    motor = spec.add_actuator(
        name=frames.motor(joint), target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT
    )
    motor.set_to_motor()
    motor.ctrllimited = True
    motor.ctrlrange = [-actuator.torque_limit, actuator.torque_limit]
    body.add_site(name=frames.force_frame(joint), size=[0.1 * robot.link.radius] * 3)
    _add_sensor(
        spec, frames.force_frame(joint), mujoco.mjtSensor.mjSENS_FORCE, frames.force_frame(joint)
    )


def _add_rotor(spec: mujoco.MjSpec, robot: Robot, joint: str, backlash: float) -> None:
    """Take motor, rotor inertia and viscous friction off a joint and give them to a rotor of its
    own, which pushes the joint at both ends of the gap.
    """
    actuator, link_side = robot.actuator, spec.joint(joint)
    link_side.armature, link_side.damping = 0.0, [0.0, 0.0, 0.0]
    body = spec.worldbody.add_body(name=frames.rotor(joint))
    body.explicitinertial = True
    body.mass, body.inertia = ROTOR_MASS, [ROTOR_MASS] * 3
    body.ipos = [0, 0, 0]  # without a place MuJoCo writes none of it to XML
    body.add_joint(
        name=frames.rotor(joint),
        type=mujoco.mjtJoint.mjJNT_HINGE,
        axis=[0, 0, 1],
        armature=actuator.armature,
        damping=[actuator.damping, 0, 0],
    )
    spec.actuator(frames.motor(joint)).target = frames.rotor(joint)
    gap = spec.add_tendon(name=frames.rotor(joint), limited=True)
    gap.range = [-backlash / 2, backlash / 2]
    gap.solref_limit, gap.solimp_limit = FLANK_SOLREF, FLANK_SOLIMP
    gap.wrap_joint(frames.rotor(joint), 1.0)
    gap.wrap_joint(joint, -1.0)


def _add_link(spec: mujoco.MjSpec, robot: Robot, body: Any, index: int, settings: Settings) -> None:
    """Mass, capsules, IMU and appearance of one link."""
    link, name = robot.link, robot.link_names[index]
    body.explicitinertial = True
    body.mass = link.mass
    body.ipos = [link.pitch / 2, 0, 0]
    body.inertia = list(link.principal_inertia)
    start, end = robot.spine(index)
    for geom, y in zip(
        frames.link_geoms(name, link.track), (link.track, -link.track), strict=False
    ):
        body.add_geom(
            name=geom,
            type=mujoco.mjtGeom.mjGEOM_CAPSULE,
            fromto=[start, y, 0, end, y, 0],
            size=[link.radius, 0, 0],
            rgba=_hull_colour(robot, index),
            contype=LINK_TYPE,
            conaffinity=0,
            **settings,
        )
    site = frames.imu_frame(name)
    body.add_site(name=site, pos=[link.pitch / 2, 0, 0], size=[0.1 * link.radius] * 3)
    _add_sensor(spec, frames.gyro(name), mujoco.mjtSensor.mjSENS_GYRO, site)
    _add_sensor(spec, frames.accelerometer(name), mujoco.mjtSensor.mjSENS_ACCELEROMETER, site)
    _add_ornaments(robot, body, index)


def _add_ornaments(robot: Robot, body: Any, index: int) -> None:
    """The axis of the joint behind a link, and eyes on the head."""
    link = robot.link
    if index > 0:
        _add_ornament(
            body,
            mujoco.mjtGeom.mjGEOM_CYLINDER,
            [0, 0, 1],
            [0.4, 0.06, 0],
            JOINT_COLOUR,
            link.radius,
        )
    if index == robot.links - 1:
        nose = link.pitch / link.radius
        for side in (1, -1):
            eye = [nose + 0.45, side * 0.45, 0.66]
            _add_ornament(
                body, mujoco.mjtGeom.mjGEOM_SPHERE, eye, [0.18, 0, 0], EYE_COLOUR, link.radius
            )


def _add_sensor(spec: mujoco.MjSpec, name: str, kind: mujoco.mjtSensor, site: str) -> None:
    spec.add_sensor(name=name, type=kind, objtype=mujoco.mjtObj.mjOBJ_SITE, objname=site)


def _hull_colour(robot: Robot, index: int) -> Colour:
    return HEAD_COLOUR if index == robot.links - 1 else HULL[index % 2]


def _add_ornament(
    body: Any,
    kind: mujoco.mjtGeom,
    place: list[float],
    size: list[float],
    colour: Colour,
    unit: float,
) -> None:
    """A geom that is only seen, `place` and `size` in units of `unit`; explicit inertia keeps it
    weightless.
    """
    body.add_geom(
        type=kind,
        pos=[unit * value for value in place],
        size=[unit * value for value in size],
        rgba=colour,
        contype=0,
        conaffinity=0,
        group=1,
    )


def _contact_settings(contact: ContactModel, base: Base) -> Settings:
    """Same on both geoms of every pair: MuJoCo's mixing of equal settings gives exactly these."""
    settings = {"condim": 1, "solref": list(contact.solref), "solimp": [*contact.solimp, 0.5, 2.0]}
    if base == "free" and contact.friction > 0:
        settings |= {"condim": 3, "friction": [contact.friction, 0.0, 0.0]}
    return settings


def _add_obstacle(
    world: Any, name: str, obstacle: Obstacle, radius: float, contact: Settings
) -> None:
    """Add an obstacle, higher than the robot and solid at the height of the links (z = `radius`).

    A post is an upright capsule: MuJoCo has an exact formula for capsule against capsule, while
    cylinders go through its iterative convex collision. Its dome lies above the robot.
    """
    height = POST_HEIGHT * radius
    settings = {
        "rgba": OBSTACLE_COLOUR,
        "contype": 0,
        "conaffinity": SOLID_AFFINITY,
        **contact,
    }
    if isinstance(obstacle, Circle):
        world.add_geom(
            name=name,
            type=mujoco.mjtGeom.mjGEOM_CAPSULE,
            pos=[obstacle.x, obstacle.y, height / 2],
            size=[obstacle.radius, height / 2, 0],
            **settings,
        )
        return
    x, y, length, width, heading = _outline(obstacle)
    world.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_BOX,
        pos=[x, y, height / 2],
        quat=[math.cos(heading / 2), 0, 0, math.sin(heading / 2)],
        size=[length / 2, width / 2, height / 2],
        **settings,
    )


def _outline(obstacle: Box | Wall) -> tuple[float, float, float, float, float]:
    """Centre x, y, length, width, heading."""
    if isinstance(obstacle, Box):
        return obstacle.x, obstacle.y, obstacle.length, obstacle.width, obstacle.heading
    step = np.array([obstacle.x2 - obstacle.x1, obstacle.y2 - obstacle.y1])
    centre = np.array([obstacle.x1 + obstacle.x2, obstacle.y1 + obstacle.y2]) / 2
    return (
        float(centre[0]),
        float(centre[1]),
        float(np.hypot(*step)),
        obstacle.thickness,
        float(np.arctan2(step[1], step[0])),
    )
