"""The servo as a torque source: current limit and counts, heating. Pure functions.

Dry and viscous friction of the gearbox act in the physics (joint frictionloss and damping), between
this torque and the joint; as on the robot, `effort` is the motor's torque, not what reaches the
link.
"""

from __future__ import annotations

import numpy as np

from boa_control.experiments.scenario import Effects
from boa_description.arrays import Array
from boa_description.robot import Actuator

AMBIENT = 25.0  # degC


def commanded_torque(torque: Array, actuator: Actuator, effects: Effects) -> Array:
    """Goal torque of a servo for a commanded `torque` (n_joints,), N m: within its current limit,
    in counts.
    """
    current = torque / actuator.torque_constant
    if effects.on("current_limit"):
        current = np.clip(current, -actuator.current_limit, actuator.current_limit)
    if effects.on("current_quantisation"):
        # towards zero, as the integer conversion of a Goal Current word: never more than commanded
        current = (
            np.trunc(current / actuator.current_quantum + np.sign(current) * 1e-9)
            * actuator.current_quantum
        )
    return current * actuator.torque_constant


def measured_torque(torque: Array, actuator: Actuator, effects: Effects) -> Array:
    """Effort as the servo reports it: the motor's current in counts times the torque constant, N
    m.
    """
    if not effects.on("current_quantisation"):
        return torque
    count = actuator.torque_constant * actuator.current_quantum
    return np.round(torque / count) * count


def heated(temperature: Array, torque: Array, actuator: Actuator, period: float) -> Array:
    """Temperature after `period` s, degC: copper loss R I^2 into a first-order thermal model, exact
    step.
    """
    loss = actuator.winding_resistance * (torque / actuator.torque_constant) ** 2
    final = AMBIENT + actuator.thermal_resistance * loss
    return final + (temperature - final) * np.exp(-period / actuator.thermal_time_constant)
