# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the map is right: only a robot without hold is stopped."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from boa_control.controllers.hoal.start.contact_acquisition import ContactAcquisition
from boa_control.controllers.hoal.supervision.divergence import DivergenceMonitor
from boa_control.controllers.hoal.supervision.reasons import Finding, Reason
from boa_control.controllers.hoal.tick import Tick
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.estimation.progress import Progress
from boa_control.event_text import text_of
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from test.boa_control.controllers.hoal.ticks import tick

LOST_SHAPE = SHIPPED.supervision.lost_shape
LOST_TORQUE = SHIPPED.supervision.lost_torque
OVERSPEED = SHIPPED.supervision.runaway
PERSISTENCE = SHIPPED.supervision.lost_persistence
START_SHAPE = SHIPPED.contacts.start_shape

PERIOD = 0.005
JOINTS = 12
TORQUE = np.linspace(-5.0, 5.0, JOINTS)
PATH = prepare(load_scenario("boa_circle")).path
STATE = SimpleNamespace(s=1.0, dphi=np.full(JOINTS, 3.0))


def moving(shape: float = 0.003, rate: float = 0.1, desired: float = 0.1) -> Tick:
    progress = Progress(1.0, rate, shape, np.zeros(JOINTS))
    frame = SimpleNamespace(velocity=STATE.dphi * rate)
    return tick(STATE, frame, progress=progress, desired=desired, stuck=None)


@pytest.fixture
def trusting() -> DivergenceMonitor:
    assert PATH is not None
    return DivergenceMonitor(PATH, JOINTS, PERIOD)


def start(missing: int = 0) -> ContactAcquisition:
    """A robot that has just stopped taking hold."""
    startup = ContactAcquisition(PERIOD)
    while startup.closing:
        startup.update(missing)
    return startup


def after(
    supervision: DivergenceMonitor, time: float, now: Tick, startup: ContactAcquisition
) -> tuple[str, ...]:
    events: list[str] = []
    startup.tell(now)
    for _ in range(round(time / PERIOD)):
        supervision.glance(now)
        events += map(text_of, supervision.events.pop())
    return tuple(events)


@pytest.mark.parametrize(
    "good",
    [
        {},
        {"shape": 0.9 * LOST_SHAPE},
        {"rate": 0.1 + 0.9 * OVERSPEED},
        {"rate": -0.1, "desired": -0.1},
        {"rate": 0.0},
    ],
)
def test_a_good_run_keeps_every_bit(trusting: DivergenceMonitor, good: dict[str, Any]) -> None:
    assert after(trusting, 1.0, moving(**good), start()) == ()
    assert trusting.temper(TORQUE, np.zeros(JOINTS)) is TORQUE
    assert not trusting.lost and not trusting.halted


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ({"shape": 1.1 * LOST_SHAPE}, "lost: shape 10.1 deg off, at ("),
        ({"rate": -0.2 - OVERSPEED}, "lost: 0.22 m/s too fast, at ("),
    ],
)
def test_a_robot_that_has_left_its_path_is_held_softly(
    trusting: DivergenceMonitor, bad: dict[str, Any], reason: str
) -> None:
    startup = start()
    assert after(trusting, PERSISTENCE / 2, moving(**bad), startup) == ()
    (event,) = after(trusting, 1.0, moving(**bad), startup)
    assert event.startswith(reason)
    assert trusting.lost and trusting.halted == event
    largest = [
        np.abs(trusting.temper(TORQUE, np.zeros(JOINTS))).max() for _ in range(round(1.0 / PERIOD))
    ]
    assert max(largest) <= np.abs(TORQUE).max() + LOST_TORQUE
    assert largest[-1] <= LOST_TORQUE + 1e-3
    assert after(trusting, 1.0, moving(), startup) == (), "only a reset helps"
    assert trusting.lost
    trusting.reset()
    assert not trusting.lost


def test_single_ticks_do_not_count(trusting: DivergenceMonitor) -> None:
    startup = start()
    for _ in range(20):
        assert after(trusting, PERIOD, moving(shape=2 * LOST_SHAPE), startup) == ()
        assert after(trusting, PERIOD, moving(), startup) == ()


@pytest.mark.parametrize(
    ("missing", "shape", "lost"),
    [
        (0, 1.1 * START_SHAPE, False),
        (3, 0.9 * START_SHAPE, False),
        (3, 1.1 * START_SHAPE, True),
    ],
)
def test_a_start_that_got_no_hold_does_not_travel(
    trusting: DivergenceMonitor, missing: int, shape: float, lost: bool
) -> None:
    """Unfelt posts alone may be missing ones, and a shape that is off gives way to the path."""
    closing = ContactAcquisition(PERIOD)
    assert after(trusting, 1.0, moving(shape=0.5, rate=0.0, desired=0.0), closing) == ()
    events = after(trusting, PERIOD, moving(shape, 0.0, 0.0), start(missing))
    assert len(events) == lost
    assert not lost or events[0].startswith("lost: 3 planned posts not measured at the start")


def test_a_body_that_slides_off_while_it_takes_hold_is_lost(trusting: DivergenceMonitor) -> None:
    """By 0.2 rad, a fifth more than a good run is off however it was laid."""
    closing = ContactAcquisition(PERIOD)
    assert after(trusting, PERIOD, moving(shape=0.3, rate=0.0, desired=0.0), closing) == ()
    (told,) = after(trusting, 0.1, moving(shape=0.5, rate=0.0, desired=0.0), closing)
    assert told.startswith("lost: shape")


def test_a_robot_that_slips_back_stands_and_is_not_lost(trusting: DivergenceMonitor) -> None:
    slipping = moving(rate=-0.1)
    slipping.stuck = Finding(Reason.SLIPS_BACK, 0.031)
    (told,) = after(trusting, 1.0, slipping, start())
    assert told.startswith("stopped: slips back, 0.03 m by now") and "--identified" in told
    assert trusting.speed_limit == 0.0 and not trusting.lost


def test_a_robot_that_its_joints_hold_stands_and_is_not_lost(trusting: DivergenceMonitor) -> None:
    stuck = Finding(Reason.JOINTS_STICK, 3.7, joints=(4, 5))
    held, startup = moving(rate=0.0), start()
    held.stuck = stuck
    assert trusting.speed_limit == math.inf
    (told,) = after(trusting, 1.0, held, startup)
    assert told.startswith("stopped: joints 4 and 5 stuck at 3.7 N m, at (")
    assert trusting.speed_limit == 0.0
    assert trusting.halted == told and not trusting.lost
    assert trusting.temper(TORQUE, np.zeros(JOINTS)) is TORQUE
    (lost,) = after(trusting, 1.0, moving(shape=1.1 * LOST_SHAPE), startup)
    assert lost.startswith("lost: ") and trusting.lost
    trusting.reset()
    assert trusting.speed_limit == math.inf and not trusting.halted
