# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Records of one tick, as far as a test wants it known."""

from __future__ import annotations

from typing import Any

import numpy as np

from boa_control.controllers.hoal.set_points import Travel
from boa_control.controllers.hoal.supervision.headway import Way
from boa_control.controllers.hoal.tick import Tick
from boa_control.estimation.progress import Progress
from boa_control.estimation.touch_points import PassedOn
from boa_control.model.path_model import PathState

AHEAD = Travel(1, 0.1)


def tick(state: PathState, frame: Any = None, **known: Any) -> Tick:
    """Of a robot that stands on its path without error, and travels on once its stages say so.

    Args:
        known: further fields; those of `locate` in place of rest.
    """
    still = np.zeros(state.dphi.size)
    now = Tick(frame, state, still, Progress(state.s, 0.0, 0.0, still), 0.0, np.zeros(2))
    for name, value in known.items():
        setattr(now, name, value)
    return now


def engaged(state: PathState, frame: Any = None, **known: Any) -> Tick:
    """The same after the start-up, known as far as a map of posts uses it, without joint forces."""
    held = {"closing": False, "resuming": False, "settling": False}
    rest = {
        "loads": None,
        "travel": AHEAD,
        "way": Way(),
        "passed_on": lambda: PassedOn(np.zeros(state.dphi.size), np.zeros(state.dphi.size)),
    }
    return tick(state, frame, **{**held, **rest, **known})
