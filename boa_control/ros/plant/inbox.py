# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Torque commands as they arrive: what counts, what is refused and why."""

from __future__ import annotations

from collections import Counter

from boa_control.messages.cdr import MessageError
from boa_control.messages.control import TorqueCodec
from boa_control.messages.topics import TORQUE_COMMAND
from boa_control.safety.command import Command
from boa_description.robot import Robot


class CommandInbox:
    """Keeps the newest command. Values are not judged here; that is the torque gate's business."""

    def __init__(self, robot: Robot) -> None:
        self._codec = TorqueCodec(robot, TORQUE_COMMAND)
        self.refused: Counter[str] = Counter()
        self.clear()

    def clear(self) -> None:
        """Forget the command, for time that starts again."""
        self.newest: Command | None = None

    def take(self, raw: bytes, frame_ns: int | None) -> None:
        """Take a message; `frame_ns` is the stamp of the newest frame that was published.

        Raises:
            MessageError: not a torque command for this robot, its stamp is not set, or later
                than that of every frame so far.
        """
        try:
            stamp, fields = self._codec.decode(raw)
        except MessageError:
            self.refused["malformed"] += 1
            raise
        if stamp == 0:
            self.refused["unset"] += 1
            raise MessageError(
                f"{TORQUE_COMMAND.name}: header.stamp is 0, which is unset; "
                "a command carries the stamp of the joint_states it answers"
            )
        if frame_ns is None or stamp > frame_ns:
            self.refused["future"] += 1
            newest = "none yet" if frame_ns is None else f"{frame_ns * 1e-9:.3f} s"
            raise MessageError(
                f"{TORQUE_COMMAND.name}: stamp {stamp * 1e-9:.3f} s is later than the newest "
                f"joint_states ({newest}); "
                "a command carries the stamp of the joint_states it answers"
            )
        if self.newest is not None and stamp < self.newest.stamp_ns:
            self.refused["overtaken"] += 1  # a newer command is here already
            return
        self.newest = Command(fields["effort"], stamp)

    def answer_to(self, stamp_ns: int) -> Command | None:
        """The command that answers exactly this frame, if it is here."""
        return self.newest if self.newest is not None and self.newest.stamp_ns == stamp_ns else None
