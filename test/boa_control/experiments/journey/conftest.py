# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A journey in surroundings of paper."""

from __future__ import annotations

import pytest

from boa_control.experiments.journey.controller import Journey
from test.boa_control.experiments.journey.paper import EXPERIMENT, Paper


@pytest.fixture
def paper() -> Paper:
    return Paper()


@pytest.fixture
def journey(paper: Paper) -> Journey:
    return Journey(EXPERIMENT, paper, EXPERIMENT.obstacles)
