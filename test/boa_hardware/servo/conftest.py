# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Emulated servos in simulated time, and a bus that talks to them; on a pseudo-terminal where a
test needs one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from boa_hardware.emulator.servo_chain import ServoChain
from boa_hardware.emulator.servo_line import ServoLine
from boa_hardware.servo.bus import ServoBus
from boa_hardware.servo.settings import ServoBusSettings, ServoJoint
from test.boa_hardware.free_joint import free_chain
from test.boa_hardware.virtual_line import VirtualClock, VirtualLine

SLOWER = 20  # times that servos behind a real terminal are slower than real ones
PATIENCE = 60.0  # s for an answer of theirs


@pytest.fixture
def settings() -> ServoBusSettings:
    """Four servos."""
    return ServoBusSettings(
        joints=tuple(ServoJoint(id=number) for number in (1, 2, 3, 4)),
        reply_margin=0.1,
        watchdog=2.0,
    )


@pytest.fixture
def chain(settings: ServoBusSettings) -> ServoChain:
    return free_chain(settings)


@pytest.fixture
def line(chain: ServoChain) -> Iterator[VirtualLine]:
    with VirtualLine(chain, None, VirtualClock()) as line:
        yield line


@pytest.fixture
def bus(line: VirtualLine, settings: ServoBusSettings) -> Iterator[ServoBus]:
    with ServoBus("virtual", settings, line.host) as bus:
        yield bus


class SlowClock:
    """Time of servos that a busy machine cannot outrun, s; a test may let some pass at once."""

    def __init__(self) -> None:
        self._skipped = 0.0

    def __call__(self) -> float:
        return time.monotonic() / SLOWER + self._skipped

    def skip(self, seconds: float) -> None:
        self._skipped += seconds


@pytest.fixture
def slow_clock() -> SlowClock:
    return SlowClock()


@pytest.fixture
def terminal_chain(settings: ServoBusSettings, slow_clock: SlowClock) -> ServoChain:
    return free_chain(settings, now=slow_clock())


@pytest.fixture
def terminal_line(
    terminal_chain: ServoChain, slow_clock: SlowClock, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ServoLine]:
    """Servos behind a real terminal, for other processes and for what the kernel does."""
    monkeypatch.setattr("boa_hardware.servo.sdk.CONFIGURATION_MARGIN", PATIENCE)
    # their clocks are as slow as they are
    monkeypatch.setattr("boa_hardware.servo.answer_clock.SHORTEST", PATIENCE * 1e3)
    with ServoLine(terminal_chain, clock=slow_clock) as line:
        yield line
