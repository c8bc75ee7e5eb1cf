# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests of hoal."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.hoal.supervision.explored_path import ExploredPath
from boa_control.controllers.hoal.supervision.supervisor import MapSupervisor
from test.boa_control.controllers.hoal.supervision.watched import PATH, PERIOD, ROBOT


@pytest.fixture
def supervision() -> MapSupervisor:
    assert PATH is not None
    return MapSupervisor(ROBOT, PATH, ExploredPath(PATH.curve, np.inf, 0.05), PERIOD)
