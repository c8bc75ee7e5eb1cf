"""Fixtures of the tests of hoal."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.hoal.frontier import Frontier
from boa_control.controllers.hoal.watchful import Watchful
from test.boa_control.controllers.hoal.watched import PATH, PERIOD, ROBOT


@pytest.fixture
def caution() -> Watchful:
    assert PATH is not None
    return Watchful(ROBOT, PATH.curve, Frontier(PATH.curve, np.inf), PERIOD)
