# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closing speeds of a body that drifts as a whole: gyroscopes and the posts that it touches."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boa_control.estimation.body_drift import closing_speed, turn_rate
from boa_control.plant import ImuSample, SensorFrame
from test.boa_control.controllers.hoal.offset_circle import BOA, CHAIN, MODEL, SCHEDULE

JOINTS = BOA.joints
STATE = MODEL.at(0.25)
CONTACTS = SCHEDULE.at(STATE)
GAP, _ = CONTACTS.rows(CHAIN, STATE, 0.0)


@settings(max_examples=50)
@given(seed=st.integers(0, 10_000))
def test_a_body_that_turns_about_one_post_closes_on_the_others(seed: int) -> None:
    """Motions that keep two contacts closed and nothing else moves: two contacts and a turn rate
    tell the motion of a rigid body.
    """
    rng = np.random.default_rng(seed)
    touching = np.zeros(len(GAP), bool)
    touching[rng.choice(len(GAP), 2, replace=False)] = True
    rates = 0.05 * rng.normal(size=JOINTS)
    turning = 0.02 * rng.normal()
    held = GAP[touching]
    moved = -(held[:, 3:] @ rates + held[:, 2] * turning)
    place = np.linalg.lstsq(held[:, :2], moved, rcond=None)[0]
    opening = GAP @ np.concatenate([place, [turning], rates])
    assert np.abs(opening[touching]).max() < 1e-9
    normals = np.linalg.svd(held[:, :2], compute_uv=False)
    speed = closing_speed(GAP, touching, rates, turning)
    expected = max(-opening[~touching].min(), 0.0)
    if normals[1] > 0.3:  # else the two normals are parallel, and tell less
        assert speed == pytest.approx(expected, abs=0.05 * np.abs(opening).max())


def test_joint_angles_alone_do_not_show_it() -> None:
    touching = np.zeros(len(GAP), bool)
    touching[0] = True
    still = np.zeros(JOINTS)
    assert closing_speed(GAP, touching, still, np.nan) == 0.0
    assert closing_speed(GAP, touching, still, 0.05) > 0.01


def test_held_by_all_its_posts_it_does_not_drift() -> None:
    all_of_them = np.ones(len(GAP), bool)
    assert closing_speed(GAP, all_of_them, np.ones(JOINTS), 1.0) == 0.0


def frame(imu: ImuSample | None, velocity: np.ndarray) -> SensorFrame:
    nothing = np.zeros(JOINTS)
    return SensorFrame(1, nothing, velocity, nothing, None, imu, nothing, nothing)


def test_the_turn_rate_is_that_of_link_1_by_all_gyroscopes_that_answer() -> None:
    velocity = np.linspace(-0.2, 0.3, JOINTS)
    yaw_rate = 0.07 + np.concatenate([[0.0], np.cumsum(velocity)])
    yaw_rate[3] = np.nan
    zero = np.zeros(BOA.links)
    imu = ImuSample.planar(1, zero, yaw_rate, np.zeros((BOA.links, 2)))
    assert turn_rate(frame(imu, velocity)) == pytest.approx(0.07)
    assert np.isnan(turn_rate(frame(None, velocity)))
    silent = ImuSample.planar(1, zero, np.full(BOA.links, np.nan), np.zeros((BOA.links, 2)))
    assert np.isnan(turn_rate(frame(silent, velocity)))
