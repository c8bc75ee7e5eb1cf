# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Configuration strings of the CAN channel."""

from __future__ import annotations

import errno
import os
import uuid

import can
import pytest

from boa_control.plant import PlantError
from boa_description.errors import BoaError
from boa_hardware.spine.channel import Channel, open_channel, parse_channel


@pytest.mark.parametrize(
    ("text", "channel"),
    [
        ("slcan:/dev/pts/3@1000000", Channel("slcan", "/dev/pts/3", 1_000_000)),
        (
            "slcan:/dev/serial/by-id/usb-Canable_1.0",
            Channel("slcan", "/dev/serial/by-id/usb-Canable_1.0", 1_000_000),
        ),
        ("socketcan:can0", Channel("socketcan", "can0", 1_000_000)),
        ("gs_usb:0@500000", Channel("gs_usb", "0", 500_000)),
        ("pcan:PCAN_USBBUS1@250000", Channel("pcan", "PCAN_USBBUS1", 250_000)),
    ],
)
def test_strings_are_understood(text: str, channel: Channel) -> None:
    assert parse_channel(text) == channel


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not understood; write back-end:channel"),
        ("can0", "not understood"),
        ("slcan:", "not understood"),
        ("slcan:/dev/pts/3@fast", "not understood"),
        ("socketcam:can0", "did you mean 'socketcan'"),
    ],
)
def test_wrong_strings_say_what_is_right(text: str, says: str) -> None:
    with pytest.raises(BoaError, match=says):
        parse_channel(text)


def test_a_kernel_without_can_is_told_from_an_interface_that_is_down(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unknown(**_: object) -> None:
        raise OSError(errno.EAFNOSUPPORT, "Address family not supported by protocol")

    monkeypatch.setattr("can.Bus", unknown)
    with pytest.raises(PlantError, match=r"this kernel has no CAN; .*slcan:/dev/ttyACM0"):
        open_channel("socketcan:can0")


def test_what_cannot_be_opened_names_the_remedy() -> None:
    with pytest.raises(PlantError, match=r"slcan:/dev/no-such-port.*group dialout"):
        open_channel("slcan:/dev/no-such-port")
    master, slave = os.openpty()
    with pytest.raises(PlantError, match=r"Invalid bitrate, choose one of 10000, .*1000000"):
        open_channel(f"slcan:{os.ttyname(slave)}@123")
    os.close(master)
    os.close(slave)


@pytest.mark.parametrize("fd", [False, True])
def test_virtual_channels_are_shared_by_name(fd: bool) -> None:
    text = f"virtual:{uuid.uuid4()}"
    with open_channel(text, fd=fd) as sender, open_channel(text, fd=fd) as receiver:
        sender.send(
            can.Message(
                arbitration_id=5, data=bytes(32 if fd else 8), is_fd=fd, is_extended_id=False
            )
        )
        received = receiver.recv(120.0)
        assert received is not None and received.arbitration_id == 5
