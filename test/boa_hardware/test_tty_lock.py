# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One program per serial line, and who it is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
import serial

from boa_control.plant import PlantError
from boa_hardware.spine.channel import open_channel
from boa_hardware.tty_lock import TtyBusyError, TtyLock, holder

HOLD = """
import sys, time
from boa_hardware.tty_lock import TtyLock
lock = TtyLock(sys.argv[1])
print("held", flush=True)
time.sleep(600)
"""


@pytest.fixture
def ends() -> Iterator[tuple[int, int]]:
    """Adapter's end and program's end of a line."""
    master, slave = os.openpty()
    os.set_blocking(master, False)
    yield master, slave
    os.close(master)
    os.close(slave)


@pytest.fixture
def tty(ends: tuple[int, int]) -> str:
    return os.ttyname(ends[1])


@pytest.fixture
def other_program(tty: str) -> Iterator[subprocess.Popen[str]]:
    """Holds the tty."""
    words = [sys.executable, "-c", HOLD, tty]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_the_second_program_is_refused_and_told_who_has_it(
    tty: str, other_program: subprocess.Popen[str]
) -> None:
    with pytest.raises(TtyBusyError, match=f"{tty} is used by process {other_program.pid} "):
        TtyLock(tty)
    assert "TtyLock" in holder(tty)  # its command line


def test_an_slcan_channel_of_another_program_is_left_alone(
    ends: tuple[int, int], tty: str, other_program: subprocess.Popen[str]
) -> None:
    """Nothing may be sent: C, S8 and O would reconfigure an adapter that is in use."""
    with pytest.raises(PlantError, match=rf"process {other_program.pid}.*boa sensors monitor"):
        open_channel(f"slcan:{tty}@1000000")
    with pytest.raises(BlockingIOError):
        os.read(ends[0], 100)


def test_the_lock_ends_with_a_killed_process(
    tty: str, other_program: subprocess.Popen[str]
) -> None:
    other_program.send_signal(signal.SIGKILL)
    other_program.wait()
    TtyLock(tty).release()


def test_released_it_is_free_and_pyserial_keeps_to_it(tty: str) -> None:
    lock = TtyLock(tty)
    with pytest.raises(serial.SerialException):
        serial.Serial(tty, exclusive=True)
    lock.release()
    lock.release()
    serial.Serial(tty, exclusive=True).close()


def test_what_is_no_device_is_not_locked() -> None:
    TtyLock("socket://localhost:1").release()
