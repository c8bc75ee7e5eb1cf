# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Views of a plant at the view rate: link poses and force arrows, and when the next picture is
due.
"""

from collections.abc import Sequence

from boa_control.messages.cdr import SECOND
from boa_control.messages.force_arrows import JointForceArrows, TrueContactForceArrows
from boa_control.messages.message_columns import MessageColumn, by_ticks
from boa_control.messages.topics import (
    JOINT_FORCE_MARKERS,
    LINK_POSES,
    SIM_CONTACT_FORCE_MARKERS,
    Outgoing,
)
from boa_control.messages.views import LinkPosesCodec
from boa_control.plant import GroundTruth, SensorFrame
from boa_description.arrays import Array
from boa_description.robot import Robot

VIEW_RATE = 30.0  # Hz, of everything that is only drawn


class ViewClock:
    """Picks the ticks at which displays are published."""

    def __init__(self, rate: float = VIEW_RATE) -> None:
        """`rate` in Hz of the stamps' clock."""
        self._period_ns = round(SECOND / rate)
        self._last_ns: int | None = None
        self._next_ns = 0

    def due(self, stamp_ns: int) -> bool:
        """Whether this tick is one of them: the first, the first of every period, and the first
        after time has started again.
        """
        again = self._last_ns is None or stamp_ns < self._last_ns
        self._last_ns = stamp_ns
        if not again and stamp_ns < self._next_ns:
            return False
        self._next_ns = stamp_ns + self._period_ns
        return True


class PlantViews:
    """The displays of a plant as messages."""

    def __init__(self, robot: Robot, rate: float = VIEW_RATE) -> None:
        """`rate` in Hz."""
        self._clock = ViewClock(rate)
        self._poses = LinkPosesCodec(robot)
        self._joint_forces = JointForceArrows(robot)
        self._contact_forces = TrueContactForceArrows()

    def due(self, stamp_ns: int) -> bool:
        """Whether the displays are due at this tick."""
        return self._clock.due(stamp_ns)

    def encode(
        self, frame: SensorFrame, base: Array, joints: Array, truth: GroundTruth | None
    ) -> Outgoing:
        """Messages of one tick.

        Args:
            frame: what was measured.
            base, joints: the pose to be shown, as of `boa_description.link_frames`.
            truth: None on a robot.
        """
        truths = [] if truth is None else [truth]
        return by_ticks(self.encode_many((0,), (frame,), base[None], joints[None], truths), 1)[0]

    def encode_many(
        self,
        ticks: Sequence[int],
        frames: Sequence[SensorFrame],
        base: Array,
        joints: Array,
        truths: Sequence[GroundTruth],
    ) -> list[MessageColumn]:
        """Messages of some ticks, as of `encode`; poses have shapes (T, ...).

        Args:
            ticks: their numbers, for the columns.
            truths: of all ticks, or none.
        """
        stamps = [frame.stamp_ns for frame in frames]
        felt = [(k, one.joint_force.force) for k, one in enumerate(frames) if one.joint_force]
        return [
            MessageColumn(LINK_POSES, self._poses.encode_many(stamps, base, joints), ticks),
            MessageColumn(
                JOINT_FORCE_MARKERS,
                self._joint_forces.encode_many(
                    [stamps[k] for k, _ in felt], [force for _, force in felt]
                ),
                [ticks[k] for k, _ in felt],
            ),
            MessageColumn(
                SIM_CONTACT_FORCE_MARKERS,
                self._contact_forces.encode_many(
                    stamps[: len(truths)], [truth.contacts for truth in truths]
                ),
                ticks[: len(truths)],
            ),
        ]
