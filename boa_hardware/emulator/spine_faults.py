# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Faults of the emulated spine: what goes wrong, where, how often and when.

One YAML list entry each.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from boa_description.errors import unknown_name
from boa_description.robot import Block, Second
from boa_hardware.spine.protocol import MAX_LINK, Opcode, split

Kind = Literal[
    # the bus
    "lose",  # the frame is never sent
    "corrupt",  # the frame is destroyed on the wire; CAN sends it again, error counters rise
    "delay",  # the frame is sent `amount` s later
    "duplicate",  # the frame is sent twice
    "garble",  # the payload is random bytes (broken firmware: the CRC is right)
    "silence",  # the link board is dead
    "bus_off",  # the Brain's adapter goes bus-off
    "error_passive",  # the adapter reports error-passive
    "unplug",  # the adapter's serial line vanishes until `stop`
    # the sensors of a link board
    "frozen",  # force and IMU repeat their last values
    "drift",  # the force zero moves by `amount` N/s
    "dead",  # the force bridge gives nothing: noise around its zero
    "flipped",  # the force has the opposite sign
    "slipped",  # the force zero is off by `amount` N
    "saturated",  # the force converter is at full scale
    "nan",  # the IMU's rate and heading are not numbers
    "glitch",  # a heading of -1872 deg, as the real BNO055 has it now and then
    # what a board says
    "panic",
    "fatal_error",
    "warning",
]


class Timed(Block):
    """A fault that lasts from `start` to `stop`, or for ever."""

    start: Second = Field(default=0.0, ge=0, description="since the emulator's start")
    stop: Second | None = Field(default=None, gt=0)

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.stop is not None and self.stop <= self.start:
            raise ValueError(f"stop {self.stop} s must be later than start {self.start} s")
        return self

    def acts(self, now: float) -> bool:
        """Whether it is time for this fault, s."""
        return self.start <= now and (self.stop is None or now < self.stop)


class SpineFault(Timed):
    """One fault. Without `link` it concerns every link, without `frame` every frame."""

    kind: Kind
    link: int | None = Field(default=None, ge=1, le=MAX_LINK)
    frame: str | None = Field(
        default=None, description="name of a frame: ACC, IMU, CFS, SERVO, SYNC_SENSOR, ..."
    )
    rate: float = Field(default=1.0, gt=0, le=1, description="share of the frames, drawn at random")
    amount: float = Field(
        default=0.0,
        description="s for delay, N/s for drift, N for slipped, code for fatal_error and warning",
    )

    @field_validator("frame")
    @classmethod
    def _known_frame(cls, name: str | None) -> str | None:
        if name is not None and name not in Opcode.__members__:
            raise ValueError(str(unknown_name("frame", name, Opcode.__members__)))
        return name

    def acts_on(self, link: int | None, now: float) -> bool:
        """Whether this link has it now; a link that is None stands for any."""
        return self.acts(now) and (self.link is None or link is None or self.link == link)


class SpineFaults:
    """All faults of one run; the random ones are drawn from `seed`.

    Faults can be added while it runs.
    """

    def __init__(self, faults: Sequence[SpineFault] = (), seed: int = 0) -> None:
        self._faults = list(faults)
        self._random = random.Random(seed)
        self._announced: set[int] = set()

    def add(self, fault: SpineFault) -> None:
        """Let one more fault happen."""
        self._faults.append(fault)

    def clear(self) -> None:
        """End all faults."""
        self._faults.clear()

    def active(self, kind: Kind, link: int | None, now: float) -> SpineFault | None:
        """The fault of this kind that acts on this link now, if any."""
        if not self._faults:  # asked some thousand times per second
            return None
        return next(
            (one for one in self._faults if one.kind == kind and one.acts_on(link, now)), None
        )

    def strikes(self, kind: Kind, identifier: int, now: float) -> SpineFault | None:
        """The fault of this kind that hits this very frame, drawn at random by its rate; if any."""
        if not self._faults:
            return None
        opcode, link = split(identifier)
        for fault in self._faults:
            if fault.kind != kind or not fault.acts_on(link, now):
                continue
            if fault.frame is not None and Opcode[fault.frame] != opcode:
                continue
            if fault.rate >= 1 or self._random.random() < fault.rate:
                return fault
        return None

    def announcements(self, link: int, now: float) -> list[SpineFault]:
        """PANIC, fatal error and warning that a link has to send now; each is given once."""
        if not self._faults:
            return []
        due = [
            fault
            for fault in self._faults
            if fault.kind in ("panic", "fatal_error", "warning") and fault.acts_on(link, now)
            if id(fault) not in self._announced
        ]
        self._announced |= {id(fault) for fault in due}
        return due

    def random_bytes(self, count: int) -> bytes:
        """Garbage."""
        return self._random.randbytes(count)
