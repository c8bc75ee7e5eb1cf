# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""When a contact is felt, established and lost again; and that the pose follows the contacts."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controller import Briefing
from boa_control.estimation.contact_observer import ContactObserver, ObserverSettings
from boa_control.plant import ForceSample, ImuSample, SensorFrame
from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_description.scene import Circle, GroundFriction

ROBOT = load_robot("boa3")
HALF = ROBOT.link.pitch / 2
PERIOD = 0.002
POSTS = tuple(
    Circle(x=(2 * i + 1) * HALF, y=(-1 if i == 1 else 1) * (ROBOT.link.radius + 0.02), radius=0.02)
    for i in range(3)
)


def observer(base: np.ndarray | None = None, **settings: float) -> ContactObserver:
    start = np.zeros(3) if base is None else base
    told = Briefing(ROBOT, POSTS, None, PERIOD, start, np.zeros(2), None, GroundFriction())
    return ContactObserver(told, ObserverSettings(**({"sensor_noise": 0.01} | settings)))


def pinched(newtons: float) -> SensorFrame:
    """Straight chain at rest: `newtons` down on links 1 and 3, twice that up on link 2, all at the
    link centres.
    """
    return SensorFrame(
        0,
        np.zeros(2),
        np.zeros(2),
        np.full(2, newtons * HALF),
        ForceSample(0, newtons * np.array([[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]])),
        ImuSample.planar(0, np.zeros(3), np.zeros(3), np.zeros((3, 2))),
        np.zeros(2),
        np.zeros(2),
    )


def test_touch_begins_at_the_threshold_and_ends_at_half_of_it() -> None:
    watch = observer(touch_force=1.0)
    felt = [
        bool(watch.observe(pinched(newtons)).touching[0])
        for newtons in (0.9, 1.1, 0.9, 0.6, 0.4, 0.9)
    ]
    assert felt == [False, True, True, True, False, False]


def test_uncertain_sensors_raise_the_threshold() -> None:
    noisy = observer(sensor_noise=1.0, torque_uncertainty=1.0)
    seen = noisy.observe(pinched(1.0))
    assert seen.force[0] == pytest.approx(1.0, abs=1e-3)
    assert not seen.touching[0]  # 1 N is within three standard deviations
    assert noisy.observe(pinched(10.0)).touching.all()


def test_touch_and_loss_are_established_only_when_they_last() -> None:
    watch = observer()

    def established(newtons: float, ticks: int) -> list[bool]:
        return [bool(watch.observe(pinched(newtons)).established[0]) for _ in range(ticks)]

    assert established(3.0, 30).index(True) == 24  # 50 ms
    assert all(established(0.0, 10))  # a loss of 20 ms is bridged
    assert all(established(3.0, 5))
    assert established(0.0, 30).index(False) == 24


def test_estimates_carry_link_side_and_force() -> None:
    watch = observer()
    estimates = watch.observe(pinched(3.0)).estimates(np.array([1.0, 2.0, np.nan]))
    assert [(e.obstacle, e.link, e.side) for e in estimates] == [(0, 0, 1), (1, 1, -1), (2, 2, 1)]
    np.testing.assert_allclose([e.force for e in estimates], [3.0, 6.0, 3.0], atol=1e-3)
    np.testing.assert_allclose([e.offset for e in estimates], HALF, atol=1e-6)
    assert estimates[1].reference == 2.0
    assert np.isnan(estimates[2].reference)
    assert watch.observe(pinched(0.0)).estimates() == ()


def test_pose_is_pulled_onto_the_posts_that_are_felt() -> None:
    """Told 2 mm too low and turned: the three posts across the body fix height and heading, nothing
    fixes x.
    """
    watch = observer(np.array([0.0, -0.002, 0.004]))
    for _ in range(50):
        pose = watch.observe(pinched(3.0)).pose
    np.testing.assert_allclose(pose.base[1:], 0.0, atol=2e-4)


def test_unknown_start_is_refused() -> None:
    told = Briefing(ROBOT, POSTS, None, PERIOD, None, None, None, GroundFriction())
    with pytest.raises(BoaError, match="start pose"):
        ContactObserver(told, ObserverSettings())
