"""Friction between links and floor: a force at every link centre, from its velocity.

Pure functions.
"""

from __future__ import annotations

import numpy as np

from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.scene import GRAVITY, GroundFriction


def ground_force(ground: GroundFriction, mass: Array, velocity: Array, heading: Array) -> Array:
    """Force of the floor on every link centre, shape (n, 2), world frame, N.

    Coulomb: -mu m g v / max(|v|, slip_speed), that is exactly Coulomb above the slip speed, viscous
    below. Anisotropic: -m g (mu (v.t) t + mu_normal (v.n) n) / max(|v|, slip_speed) with t along
    and n across the link (Hu, Nirody, Scott and Shelley, PNAS 106 (2009), eq. 1).

    Args:
        mass: shape (n,), kg.
        velocity: of the link centres, shape (n, 2), world frame, m/s.
        heading: of the links, shape (n,), rad.
    """
    if ground.model == "none":
        return np.zeros_like(velocity)
    if ground.model == "viscous":
        return -ground.viscous * velocity
    speed = np.hypot(velocity[:, 0], velocity[:, 1])
    slip = velocity / np.maximum(speed, ground.slip_speed)[:, None]
    weight = (mass * GRAVITY)[:, None]
    if ground.model == "coulomb":
        return -ground.mu * weight * slip
    along = np.column_stack((np.cos(heading), np.sin(heading)))
    lengthwise = np.sum(slip * along, axis=1, keepdims=True) * along
    return -weight * (ground.mu * lengthwise + ground.mu_normal * (slip - lengthwise))


def check_step(ground: GroundFriction, mass: float, physics_step: float) -> None:
    """Refuse friction that is too steep around zero velocity for the physics step.

    Raises:
        BoaError: the friction would turn a velocity round within one step.
    """
    if ground.model == "none":
        return
    if ground.model == "viscous":
        slope = ground.viscous / mass
        remedy = "lower scene.ground.viscous or plant.physics_step"
    else:
        mu = ground.mu if ground.model == "coulomb" else max(ground.mu, ground.mu_normal)
        slope = mu * GRAVITY / ground.slip_speed
        remedy = "raise scene.ground.slip_speed or lower plant.physics_step"
    if slope * physics_step > 1:
        raise BoaError(
            f"scene.ground: {ground.model} friction stops a link within {1 / slope:.2g} s at low "
            f"speed, plant.physics_step is {physics_step} s; {remedy}"
        )
