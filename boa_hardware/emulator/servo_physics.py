# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Seam between an emulated servo and what it moves."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ServoState:
    """Measured quantities in servo coordinates (before reverse mode and homing offset), SI units,
    degC.

    Attributes:
        position: rad, continuous over turns; 0 is encoder count 0, pi the middle of the first turn.
        velocity: rad/s.
        current: motor current, A.
        temperature: degC.
        voltage: supply voltage at the servo, V.
    """

    position: float
    velocity: float
    current: float
    temperature: float
    voltage: float


class ServoPhysics(Protocol):
    """One joint as its servo measures it.

    Times are seconds on the emulator's clock and never decrease.
    """

    def drive(self, current: float | None, now: float) -> None:
        """Goal current of the motor from `now` on, A; None: no drive, the motor coasts."""

    def state(self, now: float) -> ServoState:
        """The servo's measurements at `now`."""
