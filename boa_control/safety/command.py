# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The torque command: one value from the controller's message to the torque gate."""

from typing import NamedTuple

from boa_description.arrays import Array


class Command(NamedTuple):
    """Torques that a controller commands. Its values are judged once, by the torque gate
    (`boa_control.safety.faults.command_faults`).

    Attributes:
        torque: shape (n_joints,), N m.
        stamp_ns: stamp of the frame that the command answers, ns.
    """

    torque: Array
    stamp_ns: int
