# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Open a CAN channel from one configuration string, with any back-end that python-can has."""

import errno
import re
from dataclasses import dataclass
from typing import Any

import can

from boa_control.plant import PlantError
from boa_description.errors import BoaError, unknown_name
from boa_hardware.spine.slcan_driver import SlcanBus
from boa_hardware.tty_lock import TtyBusyError

DEFAULT_BITRATE = 1_000_000
FD_DATA_BITRATE = 5_000_000
BITRATE_FROM_SYSTEM = {"socketcan", "socketcand", "virtual"}
SYNTAX = (
    "back-end:channel[@bit rate], e.g. socketcan:can0, slcan:/dev/ttyACM0@1000000, "
    "gs_usb:0, virtual:test"
)
REMEDY = {
    "socketcan": "is the interface up? `ip link set can0 up type can bitrate 1000000 "
    "restart-ms 100`",
    "slcan": "is the adapter plugged in, the port right, and the user in group dialout?",
    "gs_usb": "is the adapter plugged in and `pip install gs_usb` done? On Linux prefer "
    "socketcan:can0",
}
NO_SOCKETCAN = (
    "this kernel has no CAN; adapters with slcan work without it, e.g. slcan:/dev/ttyACM0@1000000"
)


@dataclass(frozen=True, slots=True)
class Channel:
    """A parsed configuration string."""

    backend: str
    name: str
    bitrate: int


def parse_channel(text: str) -> Channel:
    """Split a configuration string.

    Raises:
        BoaError: it does not have the form `back-end:channel[@bit rate]`, or python-can has no such
            back-end.
    """
    match = re.fullmatch(r"(?P<backend>[a-z0-9_]+):(?P<name>[^@]+)(@(?P<bitrate>\d+))?", text)
    if match is None:
        raise BoaError(f"CAN channel '{text}' is not understood; write {SYNTAX}")
    if match["backend"] not in can.VALID_INTERFACES:
        raise unknown_name(
            "CAN back-end", match["backend"], can.VALID_INTERFACES, where=f"CAN channel '{text}'"
        )
    return Channel(match["backend"], match["name"], int(match["bitrate"] or DEFAULT_BITRATE))


def open_channel(text: str, *, fd: bool = False) -> can.BusABC:
    """Open the bus that `text` names.

    Raises:
        BoaError: the text is wrong.
        PlantError: the channel cannot be opened; with the remedy.
    """
    channel = parse_channel(text)
    try:
        if channel.backend == "slcan":
            return _open_slcan(channel, fd)
        return can.Bus(interface=channel.backend, channel=channel.name, **_options(channel, fd))
    except TtyBusyError as error:
        raise PlantError(
            f"spine: cannot open '{text}': {error}; stop that program, or read a running robot "
            "through its topics (`boa sensors monitor` without --can)"
        ) from error
    except (can.CanError, OSError, ValueError, ImportError) as error:
        remedy = REMEDY.get(channel.backend, "see the python-can documentation of this back-end")
        if isinstance(error, OSError) and error.errno == errno.EAFNOSUPPORT:
            remedy = NO_SOCKETCAN
        raise PlantError(
            f"spine: cannot open '{text}': {' '.join(str(error).split())}; {remedy}"
        ) from error


def _open_slcan(channel: Channel, fd: bool) -> SlcanBus:
    bus = SlcanBus(channel.name, bitrate=channel.bitrate, sleep_after_open=0.0)
    if fd:
        bus.set_bitrate(channel.bitrate, FD_DATA_BITRATE)
    return bus


def _options(channel: Channel, fd: bool) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if channel.backend not in BITRATE_FROM_SYSTEM:
        options["bitrate"] = channel.bitrate
    if channel.backend == "gs_usb" and channel.name.isdigit():
        options["index"] = int(channel.name)
    if channel.backend == "virtual":
        options["protocol"] = can.CanProtocol.CAN_FD if fd else can.CanProtocol.CAN_20
    elif fd:
        options["fd"] = True
    return options
