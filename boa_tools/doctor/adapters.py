# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Questions about the robot's bus adapters: serial ports and CAN interfaces of this machine."""

import os
from collections.abc import Iterator
from pathlib import Path

from boa_tools.doctor.check import Check, no, note, yes

NET = Path("/sys/class/net")
USB_SERIAL = Path("/sys/bus/usb-serial/devices")
CAN_HARDWARE = "280"  # ARPHRD_CAN in linux/if_arp.h
LATENCY_LIMIT = 1  # ms
UDEV_RULE = (
    'udev rule: ACTION=="add", SUBSYSTEM=="usb-serial", DRIVER=="ftdi_sio", '
    'ATTR{latency_timer}="1"; '
    "now: echo 1 | sudo tee {path}"
)


def checks() -> Iterator[Check]:
    """All questions about adapters."""
    yield from serial_ports()
    yield from can_interfaces()


def serial_ports() -> Iterator[Check]:
    """Every serial adapter: may we use it, and how long does it hold data back."""
    from serial.tools.list_ports import comports

    ports = [port for port in comports() if port.vid is not None]
    if not ports:
        yield note(
            "serial ports",
            "no USB serial adapter found",
            "plug in the RS-485 adapter, or start boa emulate",
        )
    for port in ports:
        if not os.access(port.device, os.R_OK | os.W_OK):
            remedy = "sudo usermod -aG dialout $USER, then log in again"
            yield no(port.device, f"{port.description}: no permission", remedy)
            continue
        yield latency(port.device, port.description)


def latency(device: str, description: str) -> Check:
    """The adapter hands data over at once."""
    setting = USB_SERIAL / Path(device).name / "latency_timer"
    if not setting.is_file():
        return yes(device, f"{description}; it has no latency timer")
    timer = int(setting.read_text(encoding="ascii"))
    if timer <= LATENCY_LIMIT:
        return yes(device, f"{description}; latency timer {timer} ms")
    return no(
        device,
        f"{description}: latency timer {timer} ms slows the servo loop",
        UDEV_RULE.replace("{path}", str(setting)),
    )


def can_interfaces() -> Iterator[Check]:
    """Every CAN interface: is it up."""
    interfaces = [path for path in sorted(NET.glob("*")) if _text(path / "type") == CAN_HARDWARE]
    if not interfaces:
        yield note(
            "CAN",
            "no CAN interface in this kernel",
            "slcan adapters work without: --can slcan:/dev/ttyACM0",
        )
    for path in interfaces:
        state = _text(path / "operstate")
        if _text(path / "flags") and int(_text(path / "flags"), 16) & 1:
            yield yes(path.name, f"up ({state})")
        else:
            up = f"sudo ip link set {path.name} up type can bitrate 1000000 restart-ms 100"
            yield no(path.name, f"is {state}", up)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return ""
