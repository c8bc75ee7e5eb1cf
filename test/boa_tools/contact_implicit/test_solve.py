# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Answers that are known: a block pushed over a rubbing floor, and a chain that need not go
anywhere.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

import numpy as np
import pytest

from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_tools.contact_implicit.chain import VerticalChain
from boa_tools.contact_implicit.motion import Motion, Task
from boa_tools.contact_implicit.programme import GRAVITY, Programme
from boa_tools.contact_implicit.solve import Step, require_solver, solve

MASS, FRICTION, WAY = 2.0, 0.5, 0.2
HOLD = FRICTION * MASS * GRAVITY  # N, that sliding takes
KNOTS = 20
SLACKS = (1e-3, 1e-4, 1e-5, 1e-6)

needs_unopy = pytest.mark.skipif(find_spec("unopy") is None, reason="extra implicit is missing")


def block(period: float) -> Programme:
    """A block with a sphere at each end, and a push ahead as its effort."""
    chain = VerticalChain(
        np.array([MASS]),
        np.array([0.01]),
        np.array([0.2]),
        0.0,
        0.0,
        np.array([0, 0]),
        np.array([-0.1, 0.1]),
        0.05,
        FRICTION,
        np.array([[1.0], [0.0], [0.0]]),
    )
    return Programme(chain, Task(KNOTS, period / KNOTS, WAY, 1.0, 1e3, 1e3))


def pushed(programme: Programme, x: Array) -> Step:
    """The least effort near a motion of the block, (KNOTS,), which rubs while it moves."""
    slid = np.diff(x, prepend=x[-1] - WAY)[:, None] * np.ones(2)
    moving = slid > 1e-6
    ones, none = np.ones((KNOTS, 1)), np.zeros((KNOTS, 0))
    start = Motion(
        x[:, None],
        0.05 * ones,
        0.0 * ones,
        none,
        none,
        HOLD * moving[:, :1],
        np.full((KNOTS, 2), 1e-5),
        np.where(moving, 1e-2, HOLD / 2),
        np.where(moving, HOLD, HOLD / 2),
        np.maximum(slid, 0.0) + 1e-5,
        np.full((KNOTS, 2), 1e-5),
    )
    return solve(programme, programme.vector(start), SLACKS)


@needs_unopy
def test_a_block_that_may_rest_is_pushed_and_let_go() -> None:
    """From rest to rest over D with u = 2 F (1 - t / T), F = mu m g, T = sqrt(6 D / mu g), and not
    at all in the rest of the period: u'u = 4/3 F^2 T. (u = F + a (T/2 - t) with a = 12 m D / T^3
    moves it in time T; F^2 = 36 m^2 D^2 / T^4 makes the effort F^2 T + 12 m^2 D^2 / T^3 least.)
    Of 13 steps of the push its effort has an error of second order, below 0.2 %, and its slope one
    of first order: 1.8 %, with four times as many 0.5 %.
    """
    lasting = np.sqrt(6 * WAY / (FRICTION * GRAVITY))
    period = 1.5 * lasting
    programme = block(period)
    phase = np.minimum(np.arange(KNOTS) * period / KNOTS / lasting, 1.0)
    step = pushed(programme, WAY * np.sin(np.pi / 2 * phase) ** 2 - WAY)
    assert step.optimal
    assert step.effort == pytest.approx(4 / 3 * HOLD**2 * lasting, rel=2e-3)
    push = programme.motion(step.unknowns).effort[:, 0]
    assert np.sum(push < 1e-2) == 7  # knots in a third of the period
    falling = -np.diff(push[push > 1.0]) / programme.task.step
    assert falling == pytest.approx(2 * HOLD / lasting, rel=0.025)


@needs_unopy
def test_a_block_that_is_pushed_on_and_on_takes_what_friction_takes() -> None:
    """A motion without rest is a second optimum, u = F throughout; which of both is found says
    where the search begins. And what is found is rigid contact with Coulomb's law.
    """
    programme = block(0.75)
    step = pushed(programme, WAY * np.arange(1, KNOTS + 1) / KNOTS - WAY)
    assert step.optimal
    assert step.effort == pytest.approx(HOLD**2 * 0.75, rel=1e-4)
    motion = programme.motion(step.unknowns)
    normal = (motion.ahead + motion.behind) / (2 * FRICTION)
    tangential = (motion.ahead - motion.behind) / 2
    assert normal.sum(axis=1) == pytest.approx(MASS * GRAVITY, rel=1e-6)
    assert np.all(np.abs(tangential) <= FRICTION * normal + 1e-9)
    allowed = SLACKS[-1] * (1 + 1e-6) + 1e-8
    assert np.max(motion.gap * normal) <= allowed
    assert np.max(motion.forward * motion.ahead) <= allowed
    assert np.max(motion.back * motion.behind) <= allowed


def test_without_unopy_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "unopy", None)
    with pytest.raises(BoaError, match=r"pip install boa_control\[implicit\]"):
        require_solver()
