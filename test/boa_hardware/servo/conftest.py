"""Emulated servos in simulated time, and a bus that talks to them; on a pseudo-terminal where a
test needs one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from boa_hardware.emulator.servo_chain import ServoChain, configured_chain
from boa_hardware.emulator.servo_line import ServoLine
from boa_hardware.emulator.virtual_line import VirtualClock, VirtualLine
from boa_hardware.servo.bus import ServoBus
from boa_hardware.servo.settings import ServoBusSettings, ServoJoint


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
    return configured_chain(settings)


@pytest.fixture
def line(chain: ServoChain) -> Iterator[VirtualLine]:
    with VirtualLine(chain, None, VirtualClock()) as line:
        yield line


@pytest.fixture
def bus(line: VirtualLine, settings: ServoBusSettings) -> Iterator[ServoBus]:
    with ServoBus("virtual", settings, line.host) as bus:
        yield bus


@pytest.fixture
def terminal_chain(settings: ServoBusSettings) -> ServoChain:
    return configured_chain(settings, now=time.monotonic())


@pytest.fixture
def terminal_line(
    terminal_chain: ServoChain, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ServoLine]:
    """Servos in real time, for other processes and for what the kernel does; a busy machine gets
    time to answer.
    """
    monkeypatch.setattr("boa_hardware.servo.sdk.CONFIGURATION_MARGIN", 1.0)
    with ServoLine(terminal_chain) as line:
        yield line
