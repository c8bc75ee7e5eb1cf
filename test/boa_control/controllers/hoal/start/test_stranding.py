# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot that has coasted on a floor without friction has no torque until it is laid back."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.hoal.start.stranding import Stranding
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.events import EventKind
from boa_control.plant import SensorFrame
from boa_description.scene import GroundFriction

SLOW = 2 * SHIPPED.law.still_rate
SLIPPERY, ROUGH = GroundFriction(), GroundFriction(model="coulomb", mu=0.1)


@pytest.mark.parametrize(
    ("ground", "speed", "stranded"),
    [(SLIPPERY, 0.1, True), (SLIPPERY, 0.5 * SLOW, False), (ROUGH, 0.1, False)],
)
def test_only_a_moving_robot_that_nothing_stops_is_stranded(
    ground: GroundFriction, speed: float, stranded: bool
) -> None:
    stranding = Stranding(ground, SHIPPED.law)
    stranding.released(speed)
    assert stranding.stranded is stranded


def test_it_stays_without_torque_and_says_once_what_to_do() -> None:
    stranding, zero = Stranding(SLIPPERY, SHIPPED.law), np.zeros(3)
    frame = SensorFrame(0, zero, zero, zero, None, None, zero, zero, ())
    stranding.released(0.1)
    stranding.released(0.0)  # released again, at rest by now as it seems
    first, later = stranding.waiting(frame), stranding.waiting(frame)
    assert not first.torque.any()
    assert not first.ready
    (event,) = first.events
    assert event.kind is EventKind.START_REFUSED
    assert "lay it back" in (event.note or "")
    assert later.events == ()
    stranding.reset()
    assert not stranding.stranded
