# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Speeds of links by hand, and the fading of the drive."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.base_estimate import BaseMotion
from boa_control.controllers.link_speed import drive_share, head_speed, speed_across
from boa_control.controllers.pace import EASY
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.model.dynamics import PlanarChain

CHAIN = PlanarChain(prepare(load_scenario("boa_targets")).robot)


def motion(qd: np.ndarray, joints: np.ndarray | None = None) -> BaseMotion:
    """At the origin, heading 0.5 rad."""
    bent = np.zeros(CHAIN.links - 1) if joints is None else joints
    posture = CHAIN.posture(np.concatenate(([0.0, 0.0, 0.5], bent)))
    return BaseMotion(posture, qd, np.zeros(2), np.zeros(2))


def rates(**at: float) -> np.ndarray:
    """x, y, heading and joints with those rates; joints are j1, j2, .."""
    places = {"x": 0, "y": 1, "heading": 2, **{f"j{k}": 2 + k for k in range(1, CHAIN.links)}}
    qd = np.zeros(CHAIN.links + 2)
    for name, rate in at.items():
        qd[places[name]] = rate
    return qd


def test_along_itself_a_straight_chain_moves_at_any_speed() -> None:
    along = motion(rates(x=-np.cos(0.5), y=-np.sin(0.5)))
    assert speed_across(CHAIN, along) < 1e-12
    assert head_speed(CHAIN, along) == pytest.approx(1.0)


def test_a_turning_chain_is_fastest_at_its_far_end() -> None:
    """About its tail end the tip of the head goes n l w, about joint 4 (n - 4) l w."""
    whole = CHAIN.links * CHAIN.pitch
    assert speed_across(CHAIN, motion(rates(heading=0.2))) == pytest.approx(0.2 * whole)
    headward = (CHAIN.links - 4) * CHAIN.pitch
    assert speed_across(CHAIN, motion(rates(j4=-0.3))) == pytest.approx(0.3 * headward)


def test_across_is_across_each_link() -> None:
    """Bent by a right angle at joint 1: what goes along link 1 goes across all others."""
    bent = np.zeros(CHAIN.links - 1)
    bent[0] = np.pi / 2
    along_link_1 = rates(x=0.1 * np.cos(0.5), y=0.1 * np.sin(0.5))
    assert speed_across(CHAIN, motion(along_link_1, bent)) == pytest.approx(0.1)
    assert head_speed(CHAIN, motion(along_link_1, bent)) < 1e-12


@pytest.mark.parametrize(
    ("load", "share"), [(0.0, 1.0), (EASY, 1.0), (0.8, 0.5), (1.0, 0.0), (7.0, 0.0)]
)
def test_the_drive_fades_up_to_the_limit(load: float, share: float) -> None:
    assert drive_share(load) == pytest.approx(share)
