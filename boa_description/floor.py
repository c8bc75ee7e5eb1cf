# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Laws of friction between links and floor: a force at every link centre and a torque about the
vertical, from the motion of the links. Simulation and controllers use the same ones.

Pure functions. u points along a link to its head, n to its left; v_u and v_n are the components of
the velocity of its centre. Shapes are those for one instant; leading dimensions broadcast.
"""

from typing import NamedTuple

import numpy as np

from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.robot import Link
from boa_description.scene import GRAVITY, GroundFriction

BY_COMPONENTS = ("mixed", "components")  # models with viscous friction along and across


class Coefficients(NamedTuple):
    """Any law of friction, by the numbers that it has along and across a link.

    Attributes:
        dry_along, dry_across: times the weight, from the slip speed on.
        viscous_along, viscous_across: N s/m.
        slip_speed: m/s.
        apart: whether each direction slips by its own speed, or all by that of the link.
    """

    dry_along: float
    dry_across: float
    viscous_along: float
    viscous_across: float
    slip_speed: float
    apart: bool


def coefficients(ground: GroundFriction) -> Coefficients:
    """The numbers of a law."""
    alike = ground.model in ("coulomb", "viscous")
    return Coefficients(
        ground.mu,
        ground.mu if alike else ground.mu_normal,
        ground.viscous,
        ground.viscous if alike else ground.viscous_normal,
        ground.slip_speed,
        ground.model == "components",
    )


def ground_force(ground: GroundFriction, mass: Array, velocity: Array, heading: Array) -> Array:
    """Force of the floor on every link centre, shape (n, 2), world frame, N: along c = u, n

        F_c = -(mu_c m g / max(s_c, slip_speed) + viscous_c) v_c,

    Coulomb above the slip speed, viscous below.

    - coulomb, viscous: one coefficient for both directions, s_c = |v|.
    - anisotropic: two, s_c = |v| (Hu, Nirody, Scott and Shelley, PNAS 106 (2009), eq. 1).
    - mixed: the same, with viscous parts.
    - components: the same with s_c = |v_c|, each direction by itself.

    Args:
        mass: shape (n,), kg.
        velocity: of the link centres, shape (n, 2), world frame, m/s.
        heading: of the links, shape (n,), rad.
    """
    floor = coefficients(ground)
    cos, sin = np.cos(heading), np.sin(heading)
    vx, vy = velocity[..., 0], velocity[..., 1]
    moving = np.stack((cos * vx + sin * vy, cos * vy - sin * vx), axis=-1)  # v_u, v_n
    speed = np.abs(moving) if floor.apart else np.hypot(vx, vy)[..., None]
    dry = np.array([floor.dry_along, floor.dry_across]) / np.maximum(speed, floor.slip_speed)
    viscous = np.array([floor.viscous_along, floor.viscous_across])
    drag = ((mass * GRAVITY)[..., None] * dry + viscous) * moving
    along, across = drag[..., 0], drag[..., 1]
    return -np.stack((cos * along - sin * across, sin * along + cos * across), axis=-1)


def ground_torque(ground: GroundFriction, pitch: float, turning: Array) -> Array:
    """Torque of the floor on every link about the vertical, shape (n,), N m: that of viscous
    friction across a uniform rod of length `pitch`, -viscous_normal pitch^2 / 12 times its turn
    rate. Dry friction is thought to act at the link centres and has none.

    Args:
        pitch: m.
        turning: turn rates of the links, shape (n,), rad/s.
    """
    return -turning_drag(ground, pitch) * turning


def turning_drag(ground: GroundFriction, pitch: float) -> float:
    """Torque per turn rate with which the floor brakes a turning link, N m s."""
    if ground.model not in BY_COMPONENTS:
        return 0.0
    return ground.viscous_normal * pitch**2 / 12


def require_one_coefficient(ground: GroundFriction, who: str) -> None:
    """Refuse a floor whose friction is no fixed pattern times one coefficient.

    Args:
        who: the part that needs such a floor, as the subject of a sentence.

    Raises:
        BoaError: the model is mixed or components.
    """
    if ground.model in BY_COMPONENTS:
        raise BoaError(
            f"scene.ground: {who} knows floors with one coefficient and not model: "
            f"{ground.model}; take coulomb, viscous or anisotropic, or a controller without a path "
            "(undulation, shape_path, joint_pd)"
        )


def require_grip_across(ground: GroundFriction, who: str) -> None:
    """Refuse a floor on which a wave of the joints drives nothing.

    Args:
        who: the part that needs such a floor, as the subject of a sentence.

    Raises:
        BoaError: it grips no more across the links than along them.
    """
    directed = ground.model in (*BY_COMPONENTS, "anisotropic")
    if directed and (ground.mu_normal > ground.mu or ground.viscous_normal > ground.viscous):
        return
    raise BoaError(
        f"scene.ground: {who} needs a floor that grips across the links, this one ({ground.model}) "
        "grips no more across than along; take model: anisotropic with mu_normal several times mu, "
        "or hoal on posts that the map has"
    )


def check_step(ground: GroundFriction, link: Link, physics_step: float) -> None:
    """Refuse friction that is too steep around zero velocity for the physics step.

    Raises:
        BoaError: the friction would turn a velocity round within one step.
    """
    if ground.model == "none":
        return
    dry = max(ground.mu, ground.mu_normal) * GRAVITY / ground.slip_speed
    viscous = max(
        max(ground.viscous, ground.viscous_normal) / link.mass,
        turning_drag(ground, link.pitch) / link.yaw_inertia,
    )
    slope = dry + viscous
    if slope * physics_step > 1:
        remedy = (
            "raise scene.ground.slip_speed"
            if dry >= viscous
            else "lower scene.ground.viscous"
            if ground.viscous >= ground.viscous_normal
            else "lower scene.ground.viscous_normal"
        )
        raise BoaError(
            f"scene.ground: {ground.model} friction stops a link within {1 / slope:.2g} s at low "
            f"speed, plant.physics_step is {physics_step} s; {remedy} or lower plant.physics_step"
        )
