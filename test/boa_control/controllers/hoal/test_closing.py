"""How fast the leading end of a body goes that keeps its posts."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.hoal.closing import leading_speed
from test.boa_control.controllers.hoal.offset_circle import CHAIN, MODEL


@pytest.mark.parametrize("direction", [1, -1])
def test_on_its_path_the_leading_end_goes_as_fast_as_the_joints_say(direction: int) -> None:
    """On average: where the end swings it is now slower, now faster."""
    states = [MODEL.at(s) for s in np.arange(0.0, 2.0, 0.02)]
    speeds = [leading_speed(state, state.dq, direction) for state in states]
    assert np.mean(speeds) == pytest.approx(1.0, abs=0.06)
    assert max(speeds) < 1.5


@pytest.mark.parametrize(("direction", "link"), [(1, -1), (-1, 0)])
def test_a_stretched_motion_is_faster_at_the_end_that_leads(direction: int, link: int) -> None:
    state = MODEL.at(0.25)
    way = 1.5 * state.along[link]
    slid = np.concatenate([[way.real, way.imag], np.zeros(CHAIN.links)])
    assert leading_speed(state, slid, direction) == pytest.approx(1.5)
