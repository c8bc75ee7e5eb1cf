# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The Spine Protocol: every frame, once, as data; identifiers; and the DBC database made from them.

Source: Boa-Manual, "Spine Protocol". A standard identifier is `opcode << 6 | link`; link 0 is
broadcast (or the Brain as sender), links count from the tail (1). `boa_spine.dbc` holds the frames
of all links in the default settings, for other people's tools; `python -m
boa_hardware.spine.protocol` writes it.
"""

import argparse
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from importlib.resources import files
from pathlib import Path
from typing import Literal

from cantools.database.can import Database, Message, Node, Signal
from cantools.database.can.formats.dbc.dbc_attribute import DbcAttribute
from cantools.database.can.formats.dbc.dbc_attribute_definition import DbcAttributeDefinition
from cantools.database.can.formats.dbc.dbc_specifics import DbcSpecifics
from cantools.database.conversion import BaseConversion

from boa_description.errors import BoaError
from boa_hardware.block_file import load_block
from boa_hardware.spine.settings import SpineSettings

BROADCAST = 0
LINK_BITS = 6
MAX_LINK = (1 << LINK_BITS) - 1
DBC_NAME = "boa_spine.dbc"


class Opcode(IntEnum):
    """Bits 6 to 10 of the identifier; the lower one wins arbitration."""

    PANIC = 0x01
    FATAL_ERROR = 0x02
    WARNING = 0x03
    SYNC_SENSOR = 0x05
    SYNC_CONTROL = 0x06
    SET_JOINT_ANGLE = 0x07
    SET_JOINT_ANGVEL = 0x08
    SET_JOINT_TORQUE = 0x09
    ACC = 0x0B
    IMU = 0x0C
    SERVO = 0x0D
    CFS = 0x0E
    # not in the manual: this project's CAN FD frame with a link's sensors at once
    ALL_SENSORS = 0x0F


def arbitration_id(opcode: int, link: int = BROADCAST) -> int:
    """Identifier of a frame.

    Raises:
        BoaError: the link does not fit into six bits.
    """
    if not 0 <= link <= MAX_LINK:
        raise BoaError(
            f"link {link} has no identifier: the Spine Protocol has links 1 to {MAX_LINK} and "
            f"0 for all"
        )
    return opcode << LINK_BITS | link


def split(identifier: int) -> tuple[int, int]:
    """Opcode and link of an identifier."""
    return identifier >> LINK_BITS, identifier & MAX_LINK


@dataclass(frozen=True, slots=True)
class SignalSpec:
    """One value in a frame: `physical = raw * scale + offset`, in `unit`."""

    name: str
    kind: Literal["f32", "i32", "i16", "u16", "i8", "u8"]
    unit: str = ""
    scale: float = 1.0
    offset: float = 0.0

    @property
    def bits(self) -> int:
        """Size on the wire."""
        return int(self.kind[1:])


@dataclass(frozen=True, slots=True)
class FrameSpec:
    """One kind of frame. `links` are the identifiers it exists for."""

    opcode: Opcode
    comment: str
    signals: tuple[SignalSpec, ...]
    links: range = range(1, MAX_LINK + 1)
    from_board: bool = True
    is_fd: bool = False

    @property
    def length(self) -> int:
        """Bytes of payload."""
        return sum(signal.bits for signal in self.signals) // 8


def frames(settings: SpineSettings) -> dict[Opcode, FrameSpec]:
    """Every frame of the protocol, with the units that `settings` gives."""
    imu, servo = settings.imu, settings.servo
    acc = (SignalSpec("acceleration_x", "f32", "m/s2"), SignalSpec("acceleration_y", "f32", "m/s2"))
    gyro = (SignalSpec("yaw_rate", "f32", imu.rate_unit), SignalSpec("yaw", "f32", imu.angle_unit))
    reading = (
        SignalSpec("current", "i16", "A", servo.current_per_count),
        SignalSpec("velocity", "i16", "rad/s", servo.velocity_per_count),
        SignalSpec(
            "angle", "u16", "rad", servo.angle_per_count, -servo.angle_zero * servo.angle_per_count
        ),
        SignalSpec("temperature", "i8", "degC"),
    )
    cfs = (SignalSpec("cfs_x", "i32", "count"), SignalSpec("cfs_y", "i32", "count"))
    torque = (SignalSpec("torque", "i16", "N m", servo.torque_per_count),)
    code = (SignalSpec("code", "u8"),)
    anyone, brain = range(MAX_LINK + 1), range(1)
    specs = (
        FrameSpec(Opcode.PANIC, "Servos stay off until a power cycle", (), anyone),
        FrameSpec(Opcode.FATAL_ERROR, "A board has failed", code, anyone),
        FrameSpec(Opcode.WARNING, "A board warns", code, anyone),
        FrameSpec(
            Opcode.SYNC_SENSOR, "Sample all sensors now", (SignalSpec("zero", "u8"),), brain, False
        ),
        FrameSpec(
            Opcode.SYNC_CONTROL, "Enact latched commands", (SignalSpec("zero", "u8"),), brain, False
        ),
        FrameSpec(
            Opcode.SET_JOINT_ANGLE,
            "Latched",
            (SignalSpec("angle", "i32", "count"),),
            from_board=False,
        ),
        FrameSpec(
            Opcode.SET_JOINT_ANGVEL,
            "Latched",
            (SignalSpec("velocity", "i32", "count"),),
            from_board=False,
        ),
        FrameSpec(Opcode.SET_JOINT_TORQUE, "Latched", torque, from_board=False),
        FrameSpec(Opcode.ACC, "Acceleration", acc),
        FrameSpec(Opcode.IMU, "Yaw rate and yaw", gyro),
        FrameSpec(Opcode.SERVO, "Servo reading", reading),
        FrameSpec(Opcode.CFS, "Constraint force sensor", cfs),
        FrameSpec(
            Opcode.ALL_SENSORS,
            "CAN FD: ACC, IMU, CFS, SERVO",
            (*acc, *gyro, *cfs, *reading),
            is_fd=True,
        ),
    )
    return {spec.opcode: spec for spec in specs}


def message(spec: FrameSpec, link: int, byte_order: Literal["little", "big"]) -> Message:
    """The cantools message of one frame and link."""
    sender = f"LINK_{link:02d}" if spec.from_board and link != BROADCAST else "BRAIN"
    prefix = f"LINK_{link:02d}_" if link != BROADCAST else ""
    # the next CAN FD length; the last byte is unused
    length = spec.length if not spec.is_fd else 32
    return Message(
        frame_id=arbitration_id(spec.opcode, link),
        name=f"{prefix}{spec.opcode.name}",
        length=length,
        signals=list(_signals(spec, byte_order)),
        senders=[sender],
        is_fd=spec.is_fd,
        protocol=None,
    )


def _signals(spec: FrameSpec, byte_order: Literal["little", "big"]) -> Iterator[Signal]:
    start = 0
    for signal in spec.signals:
        yield Signal(
            name=signal.name,
            start=start
            if byte_order == "little"
            else start + 7,  # DBC counts a big-endian signal from its MSB
            length=signal.bits,
            byte_order="little_endian" if byte_order == "little" else "big_endian",
            is_signed=signal.kind[0] != "u",
            conversion=BaseConversion.factory(
                signal.scale, signal.offset, is_float=signal.kind[0] == "f"
            ),
            unit=signal.unit or None,
        )
        start += signal.bits


def database(settings: SpineSettings, links: int = MAX_LINK) -> Database:
    """All frames of `links` links; about 0.4 s for 63 links."""
    messages = [
        message(spec, link, settings.byte_order)
        for spec in frames(settings).values()
        for link in spec.links
        if link <= links
    ]
    names = ["BRAIN", *(f"LINK_{link:02d}" for link in range(1, links + 1))]
    return Database(
        messages=messages,
        nodes=[Node(name, comment=None) for name in names],
        version="1",
        dbc_specifics=_can_fd_bus(),
    )


def _can_fd_bus() -> DbcSpecifics:
    """The attribute without which a DBC file loses which of its frames are CAN FD."""
    bus_type = DbcAttributeDefinition("BusType", default_value="CAN", kind=None, type_name="STRING")
    return DbcSpecifics(
        attributes=OrderedDict(BusType=DbcAttribute("CAN FD", bus_type)),
        attribute_definitions=OrderedDict(BusType=bus_type),
    )


def dbc_text(settings: SpineSettings) -> str:
    """The DBC file as text."""
    return str(database(settings, MAX_LINK).as_dbc_string()).replace("\r\n", "\n")


def shipped_dbc() -> Path:
    """Path of the shipped DBC file."""
    return Path(str(files("boa_hardware.spine"))) / DBC_NAME


def main() -> None:
    """Write the DBC file of the default settings, or of a settings file."""
    parser = argparse.ArgumentParser(description="Write the DBC file of the Boa spine.")
    parser.add_argument(
        "--settings", type=Path, help="YAML with spine settings (byte order, units)"
    )
    parser.add_argument("--out", type=Path, default=shipped_dbc())
    arguments = parser.parse_args()
    settings = (
        load_block(SpineSettings, arguments.settings, "spine")
        if arguments.settings
        else SpineSettings()
    )
    arguments.out.write_text(dbc_text(settings), encoding="cp1252", newline="\n")
    print(arguments.out)


if __name__ == "__main__":
    main()
