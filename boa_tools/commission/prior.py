# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction of the calibration record as the file with which `hoal` begins."""

import math

import numpy as np

from boa_control.controllers.hoal.parameters import TransmissionSettings
from boa_control.estimation.gearbox_losses import nominal_losses
from boa_control.experiments.identified import Identified, Values
from boa_description.robot import Robot
from boa_hardware.calibration.record import CalibrationRecord

ELSEWHERE = 0.02  # N m by which friction under load and at other rates may differ


def prior(record: CalibrationRecord, robot: Robot) -> Identified:
    """Dry friction as measured; what joints pass on of a load is not known before they travel, and
    is believed as without the file.

    Args:
        record: with the friction of every joint.
    """
    joints, source = len(record.friction), {"record": record.hash, "step": "friction"}
    drive, back = (
        Values(value=(value,) * joints, std=tuple(np.full(joints, std).tolist()), unit="1")
        for value, std in zip(nominal_losses(robot)[:2], TransmissionSettings().doubt, strict=False)
    )
    base = Values(
        value=tuple(one.coulomb for one in record.friction),
        std=tuple(math.hypot(one.std, ELSEWHERE) for one in record.friction),
        unit="N m",
    )
    return Identified(robot=record.robot, source=source, drive=drive, back=back, base=base)
