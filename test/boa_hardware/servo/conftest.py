"""Emulated servos on a pseudo-terminal, and a bus that talks to them."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from hypothesis import settings as hypothesis_settings

from boa_hardware.emulator.servo_chain import ServoChain, configured_chain
from boa_hardware.emulator.servo_line import ServoLine
from boa_hardware.servo.bus import ServoBus
from boa_hardware.servo.settings import ServoBusSettings, ServoJoint

hypothesis_settings.register_profile("untimed", deadline=None)  # a busy machine is no error
hypothesis_settings.load_profile("untimed")


@pytest.fixture
def settings() -> ServoBusSettings:
    """Four servos. Generous in time: a busy machine must not make replies late."""
    return ServoBusSettings(
        joints=tuple(ServoJoint(id=number) for number in (1, 2, 3, 4)), reply_margin=0.1, watchdog=2.0
    )


@pytest.fixture
def chain(settings: ServoBusSettings) -> ServoChain:
    return configured_chain(settings, now=time.monotonic())


@pytest.fixture
def line(chain: ServoChain) -> Iterator[ServoLine]:
    with ServoLine(chain) as line:
        yield line


@pytest.fixture
def bus(line: ServoLine, settings: ServoBusSettings) -> Iterator[ServoBus]:
    with ServoBus(line.port, settings) as bus:
        yield bus
