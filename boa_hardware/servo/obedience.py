# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Do the servos do what they are told? Their registers, read back in every cycle, against what was
written.

A Sync Write is never answered, so a servo that drops it says nothing: its torque has been switched
off, its Bus Watchdog has tripped, its PWM is zero, or somebody else writes. All of that stands in
its control table.
"""

from collections import deque
from enum import Enum, auto
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boa_description.arrays import Flags
from boa_hardware.servo.registers import PWM_FULL, WATCHDOG_TRIPPED

Counts = NDArray[np.int64]

KEPT = 5  # goals: one of the last few is there where a Sync Write was lost
IGNORED = 3.0  # cycles in a row in which a goal did not arrive: a lost packet is no refusal
LOST = 0.3  # weight of a cycle in which it arrived nowhere: the packet was lost


class Reason(Enum):
    """Ways in which a servo does not do what it is told."""

    TORQUE_OFF = auto()
    WATCHDOG_TRIPPED = auto()
    WATCHDOG_CHANGED = auto()
    PWM_LOWERED = auto()
    GOAL_IGNORED = auto()
    FOREIGN_GOAL = auto()
    OLD_ANSWERS = auto()
    NO_CURRENT = auto()


class Disobedience(NamedTuple):
    """A servo that does not do what it is told.

    Attributes:
        joint: index.
        reason: why.
        value: raw value of the register that says so.
    """

    joint: int
    reason: Reason
    value: int


class ServoWatch:
    """Compares registers of armed servos with what was written. Goals are counts as on the wire.

    Args:
        servos: how many.
        watchdog: raw value of Bus Watchdog that arming writes.
    """

    def __init__(self, servos: int, watchdog: int) -> None:
        self._watchdog = watchdog
        self._servos = servos
        self.restart()

    def restart(self) -> None:
        """Servos have goal 0, as before arming."""
        self._sent = deque([np.zeros(self._servos, np.int64)], maxlen=KEPT)
        self._missed = np.zeros(self._servos)

    def sent(self, goal: Counts) -> None:
        """These goals (n,) have been written."""
        self._sent.append(goal)

    def update(
        self, block: NDArray[np.void], valid: Flags, told: Flags
    ) -> tuple[Disobedience, ...]:
        """Registers of all servos under torque against the newest goals.

        Args:
            block: rows of `boa_hardware.servo.cycle.BLOCK`. valid: shape (n,), which of them count.
            told: shape (n,), which of them answered a request that came with the newest goals.
        """
        goal = block["goal_current"].astype(np.int64)
        ours = np.any([goal == sent for sent in self._sent], axis=0)
        self._count_missed(goal == self._sent[-1], valid & told)
        watchdog = block["bus_watchdog"]
        # in order of weight: one reason for each servo
        checks = (
            (Reason.WATCHDOG_TRIPPED, "bus_watchdog", watchdog == WATCHDOG_TRIPPED),
            (Reason.TORQUE_OFF, "torque_enable", block["torque_enable"] == 0),
            (Reason.WATCHDOG_CHANGED, "bus_watchdog", watchdog != self._watchdog),
            (Reason.PWM_LOWERED, "goal_pwm", block["goal_pwm"] < PWM_FULL),
            (Reason.FOREIGN_GOAL, "goal_current", ~ours),
            (Reason.GOAL_IGNORED, "goal_current", self._missed >= IGNORED),
        )
        if not any((found & valid).any() for _, _, found in checks):
            return ()
        reasons: dict[int, Disobedience] = {}
        for reason, register, found in checks:
            for joint in np.flatnonzero(found & valid).tolist():
                value = int(block[register][joint])
                reasons.setdefault(joint, Disobedience(joint, reason, value))
        return tuple(reasons.values())

    def _count_missed(self, arrived: Flags, judged: Flags) -> None:
        missed = judged & ~arrived
        weight = 1.0 if (judged & arrived).any() or self._servos == 1 else LOST
        self._missed = np.where(missed, self._missed + weight, self._missed)
        self._missed[judged & arrived] = 0.0
