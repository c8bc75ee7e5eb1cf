# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Signals of a good run on the path of `boa_missing_post`, for tests of supervision."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.set_points import Travel
from boa_control.controllers.hoal.supervision.headway import Headway, Way
from boa_control.controllers.hoal.supervision.interface import Signals
from boa_control.controllers.hoal.supervision.supervisor import MapSupervisor
from boa_control.event_text import text_of
from boa_control.experiments.build import briefing
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_description.load import load_robot
from boa_description.scene import SMOOTH, GroundFriction

ROBOT = load_robot("boa13")
PERIOD = 0.002
TRAVEL = Travel(1, 0.1)
JOINTS, LINKS = ROBOT.joints, ROBOT.links
NONE = np.zeros(0, int)
EXPERIMENT = prepare(load_scenario("boa_missing_post"))
PATH = EXPERIMENT.path


def supervisor(friction: float = 0.0, **parameters: float) -> MapSupervisor:
    """On that path, on a floor of Coulomb friction."""
    assert PATH is not None
    floor = GroundFriction(model="coulomb", mu=friction) if friction else SMOOTH
    told = replace(briefing(EXPERIMENT), robot=ROBOT, period=PERIOD, ground=floor)
    return MapSupervisor(told, PATH, Parameters(**parameters))


def good(**changed: Any) -> Signals:
    """Signals in the middle of a good run, with some of them changed."""
    signals = Signals(
        sigma=1.0 + 0.13 * (np.arange(LINKS + 1) - 0.5),
        rate=0.1,
        desired=0.1,
        shape=0.01,
        velocity=np.full(JOINTS, 0.3),
        joint_rate=np.full(JOINTS, 0.3),
        along=np.full(JOINTS, 3.0),
        stray=np.zeros(LINKS),
        axial=np.zeros(LINKS),
        joint_force=12.0,
        balance=0.9,
        pressed=8.0,
        planned=5,
        measured=5,
        absent=NONE,
        way=Way(),
        drift=0.0,
        closing=False,
        settling=False,
    )
    return signals._replace(**changed)


def on_link(link: int, force: float) -> Any:
    forces = np.zeros(LINKS)
    forces[link] = force
    return forces


WAYS: WeakKeyDictionary[MapSupervisor, Headway] = WeakKeyDictionary()


def update(supervision: MapSupervisor, signals: Signals, travel: Travel = TRAVEL) -> None:
    """One tick; the way that is made follows from those before."""
    made = WAYS.setdefault(supervision, Headway(PERIOD))
    way = made.update(signals.place, 0.0 if signals.closing else signals.desired)
    supervision.update(signals._replace(way=way), travel)


def after(supervision: MapSupervisor, seconds: float, signals: Signals) -> tuple[str, ...]:
    """The events, as text, while the signals last."""
    events: tuple[str, ...] = ()
    for _ in range(round(seconds / PERIOD)):
        update(supervision, signals)
        events += tuple(map(text_of, supervision.events.pop()))
    return events


def along(supervision: MapSupervisor, way: float, signals: Signals) -> tuple[str, ...]:
    """The events, as text, on a way, m, along the path at the rate of the signals."""
    events: tuple[str, ...] = ()
    step = signals.rate * PERIOD
    for tick in range(round(way / step)):
        update(supervision, signals._replace(sigma=signals.sigma + tick * step))
        events += tuple(map(text_of, supervision.events.pop()))
    WAYS.pop(supervision, None)  # the next signals begin where these did: the robot did not slip
    return events
