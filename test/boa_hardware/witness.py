# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Independent observer of the emulated buses: every torque goal, when and for which joint.

It reads the bytes and frames themselves, so it does not rely on what plant or torque gate say they
have sent.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from boa_description.robot import Robot
from boa_hardware.config import RobotSettings
from boa_hardware.emulator.boa import EmulatedBoa
from boa_hardware.emulator.body import SUPPLY
from boa_hardware.emulator.can_wire import Transmission
from boa_hardware.emulator.link_board import LinkBoard
from boa_hardware.emulator.servo import EmulatedServo
from boa_hardware.emulator.servo_chain import Answer, ServoChain
from boa_hardware.emulator.spine_emulator import EmulatedSpine
from boa_hardware.emulator.spine_faults import SpineFaults
from boa_hardware.servo.protocol import crc16
from boa_hardware.servo.settings import ServoBusSettings
from boa_hardware.spine.settings import SpineSettings
from boa_sim.actuator import AMBIENT

GOAL_CURRENT, WRITE, SYNC_WRITE = 102, 0x03, 0x83  # e-manual
SET_JOINT_TORQUE, SYNC_CONTROL = 0x09, 0x06  # Boa manual
AMPERE_PER_COUNT = 2.69e-3  # e-manual
HEADER = b"\xff\xff\xfd\x00"


@dataclass(frozen=True, slots=True)
class SeenTorque:
    """A torque goal that arrived at a servo: time on the emulator's clock (s), joint index, N m."""

    time: float
    joint: int
    torque: float


class Witness:
    """Keeps what was seen. `seen` may be cleared; packets in `others` are of another master."""

    def __init__(self, robot: Robot, servos: ServoBusSettings, spine: SpineSettings) -> None:
        self.seen: list[SeenTorque] = []
        self.others: set[bytes] = set()
        self._scale = {  # servo ID -> joint, N m per count
            seat.id: (joint, seat.direction * AMPERE_PER_COUNT * robot.actuator.torque_constant)
            for joint, seat in enumerate(servos.joints)
        }
        self._first = 2 if spine.servo_board == "head_side" else 1
        self._spine = spine
        self._latched = [0.0] * robot.joints

    def record_bytes(self, data: bytes, now: float) -> None:
        """Instructions on the servo line."""
        if data in self.others:
            return
        at = data.find(HEADER)
        while at >= 0:
            end = at + 7 + int.from_bytes(data[at + 5 : at + 7], "little")
            body = data[at + 7 : end - 2]
            if end > len(data) or crc16(data[at : end - 2]) != int.from_bytes(
                data[end - 2 : end], "little"
            ):
                body = b""  # destroyed on the way: no servo takes it
            if (
                body[:1] == bytes((SYNC_WRITE,))
                and int.from_bytes(body[1:3], "little") == GOAL_CURRENT
            ):
                for start in range(5, len(body) - 2, 3):
                    self._note(body[start], body[start + 1 : start + 3], now)
            elif (
                body[:1] == bytes((WRITE,)) and int.from_bytes(body[1:3], "little") == GOAL_CURRENT
            ):
                self._note(data[at + 4], body[3:5], now)
            at = data.find(HEADER, max(end, at + 1))

    def _note(self, servo: int, raw: bytes, now: float) -> None:
        if servo in self._scale and len(raw) == 2:
            joint, scale = self._scale[servo]
            self.seen.append(SeenTorque(now, joint, struct.unpack("<h", raw)[0] * scale))

    def record_frame(self, identifier: int, data: bytes, now: float) -> None:
        """A frame on the spine."""
        opcode, link = identifier >> 6, identifier & 63
        if (
            opcode == SET_JOINT_TORQUE
            and 0 <= link - self._first < len(self._latched)
            and len(data) == 2
        ):
            order = "<h" if self._spine.byte_order == "little" else ">h"
            count = struct.unpack(order, data)[0]
            wire = self._spine.servo
            self._latched[link - self._first] = wire.sign * count * wire.torque_per_count
        elif opcode == SYNC_CONTROL:
            self.seen += [
                SeenTorque(now, joint, torque) for joint, torque in enumerate(self._latched)
            ]


class WatchedChain(ServoChain):
    """A servo chain with a witness."""

    def __init__(self, servos: Sequence[EmulatedServo], witness: Witness) -> None:
        super().__init__(servos)
        self._witness = witness

    def handle(self, data: bytes, start: float, baud: int) -> list[Answer]:
        """See ServoChain."""
        self._witness.record_bytes(data, start)
        return super().handle(data, start, baud)


class WatchedSpine(EmulatedSpine):
    """An emulated spine with a witness."""

    def __init__(self, boards: Sequence[LinkBoard], faults: SpineFaults, witness: Witness) -> None:
        super().__init__(boards, faults)
        self._witness = witness

    def run_to(self, now_ns: int) -> list[Transmission]:
        """See EmulatedSpine."""
        transmitted = super().run_to(now_ns)
        for item in transmitted:
            self._witness.record_frame(item.frame.identifier, item.frame.data, item.end_ns * 1e-9)
        return transmitted


class WatchedBoa(EmulatedBoa):
    """An emulated Boa with a witness on both buses.

    Attributes:
        witness: every torque goal that has arrived.
    """

    def __init__(self, settings: RobotSettings | None = None, *, seed: int = 0) -> None:
        super().__init__(settings, seed=seed)
        wiring = self.settings
        self.witness = Witness(
            self.robot, wiring.servo_settings(self.robot), wiring.spine_settings()
        )
        self.chain = WatchedChain(self.chain.servos, self.witness)
        self.spine = WatchedSpine(self.spine.boards, self.spine_faults, self.witness)

    def heal(self) -> None:
        """Take all faults away; what they have done to servos and boards stays."""
        self.line_faults.rules.clear()
        self.spine_faults.clear()
        self._unplugged.clear()
        self._servo_faults.clear()
        for servo in self.chain.servos:
            servo.silent = False
        for joint in range(self.robot.joints):
            self.body.supply(joint, SUPPLY)
            self.body.heat(joint, AMBIENT)

    def power_cycle_boards(self, now: float) -> None:
        """Link boards forget a PANIC only without power."""
        for board in self.spine.boards:
            board.power_cycle(now)
