# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The fastest speed profile, against programs of another solver and against the limits at
constant speed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.optimisation.contact_qp import UNBOUNDED
from boa_control.optimisation.speed_profile import (
    Allowance,
    SpeedProfile,
    _Constraints,
    fastest_profile,
)
from boa_control.paths.construct import build_path
from boa_control.planning.checks.along_path import PathScan
from boa_control.planning.checks.limits import speed_limit
from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_description.scene import GroundFriction
from test.boa_control.circle import circle

BOA = load_robot("boa13")
PATH = build_path(circle(), BOA)
USE = Allowance(torque_share=0.9, least_force=2.0)
Carried = Callable[[float, float], float]


@pytest.fixture(scope="module")
def scan() -> PathScan:
    return PathScan(PATH, BOA)


def profile(scan: PathScan, use: Allowance) -> SpeedProfile:
    return fastest_profile(scan.chain, BOA, scan.state_at, *scan.period, True, use)


@pytest.fixture(scope="module")
def fastest(scan: PathScan) -> SpeedProfile:
    return profile(scan, USE)


def carried(
    excess: Callable[..., float], scan: PathScan, use: Allowance, k: int, found: SpeedProfile
) -> Carried:
    """The least torque beyond the limits at sample `k` of the profile, as a function of speed and
    acceleration.
    """
    sample = scan.at(found.start + k * found.step)
    return partial(
        excess,
        scan,
        sample.state,
        sample.contacts,
        least=use.least_force * sample.contacts.activation,
        share=use.torque_share,
        ground=use.ground,
        contact_friction=use.contact_friction,
    )


@pytest.mark.parametrize(
    "use",
    [USE, Allowance(0.95, 1.0, GroundFriction(model="coulomb", mu=0.05), contact_friction=0.05)],
)
def test_every_sample_of_the_profile_can_be_carried_and_some_only_just(
    use: Allowance, excess: Callable[..., float]
) -> None:
    scan = PathScan(PATH, BOA, use.ground, use.contact_friction)
    found, faster = profile(scan, use), 0
    for k in range(0, found.speed.size, 9):
        beyond = carried(excess, scan, use, k, found)
        v = float(found.speed[k])
        u = float(found.acceleration[k])
        assert beyond(v, u) < 0.02  # the tangent to sqrt(x) is that of the pass before
        assert beyond(0.5 * v, 0.25 * u) < 0.02  # nor is the profile at half its speed too much
        faster += beyond(1.1 * v, u) > 0.02
    assert faster >= 3


def test_the_profile_of_the_way_back_holds_backwards_and_the_other_one_does_not(
    scan: PathScan, fastest: SpeedProfile, excess: Callable[..., float]
) -> None:
    """Damping and torque-speed line have the other sign there; the inertia has the same."""
    back = profile(scan, replace(USE, direction=-1))

    def worst(found: SpeedProfile) -> float:
        return max(
            carried(excess, scan, USE, k, found)(-float(found.speed[k]), found.acceleration[k])
            for k in range(0, found.speed.size, 7)
        )

    assert worst(back) < 0.02
    assert worst(fastest) > 0.1
    assert back.mean_speed == pytest.approx(fastest.mean_speed, rel=0.1)


def test_a_floor_on_which_the_robot_could_only_coast_is_refused() -> None:
    """With a run-up it would get over the places where it cannot stand; the profile once leapt up
    behind each.
    """
    chosen = prepare(load_scenario("boa_fastest"))
    assert chosen.path is not None
    floor = GroundFriction(model="coulomb", mu=0.1)
    scan = PathScan(chosen.path, chosen.robot, floor)
    with pytest.raises(
        BoaError, match=r"no forces within the limits carry the robot; lower force_floor"
    ):
        profile(scan, Allowance(torque_share=0.98, least_force=3.0, ground=floor))


def test_a_viscous_floor_is_refused(scan: PathScan) -> None:
    with pytest.raises(BoaError, match="viscous floor; set profile: 0"):
        profile(scan, Allowance(0.9, 2.0, GroundFriction(model="viscous", viscous=1.0)))


def test_speed_and_acceleration_belong_together(fastest: SpeedProfile) -> None:
    squared = fastest.speed**2
    np.testing.assert_allclose(
        np.diff(squared), 2 * fastest.step * fastest.acceleration[:-1], atol=1e-9
    )
    assert squared[0] - squared[-1] == pytest.approx(
        2 * fastest.step * fastest.acceleration[-1], abs=1e-9
    )


def test_faster_than_the_slowest_constant_speed_never_faster_than_the_limit_without_acceleration(
    scan: PathScan, fastest: SpeedProfile
) -> None:
    limits = [
        speed_limit(
            scan, scan.at(fastest.start + k * fastest.step), USE.torque_share, USE.least_force
        )
        for k in range(0, fastest.speed.size, 5)
    ]
    assert fastest.mean_speed > 1.2 * min(limits)
    steady = np.abs(fastest.acceleration[::5]) < 0.05
    assert np.all(fastest.speed[::5][steady] <= np.array(limits)[steady] + 0.02)


def test_the_programs_are_solved_to_their_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the largest speeds on the path of boa_fastest, where a solver that stops early is
    off by 1e-5.
    """
    chosen = prepare(load_scenario("boa_fastest"))
    assert chosen.path is not None
    scan, solve, solved = PathScan(chosen.path, chosen.robot), _Constraints.largest, []

    def compared(
        rows: _Constraints, unknown: int, step: float, ceiling: float, x: float | None = None
    ) -> float | None:
        found = solve(rows, unknown, step, ceiling, x)
        if x is None:
            solved.append((found, rows, ceiling))
        return found

    monkeypatch.setattr(_Constraints, "largest", compared)
    profile(scan, Allowance(torque_share=0.98, least_force=3.0))
    for found, rows, ceiling in solved[::7]:
        assert found == pytest.approx(largest_by_highs(rows, ceiling), rel=1e-7)


def largest_by_highs(rows: _Constraints, ceiling: float) -> float:
    """The largest squared speed by another solver; `rows` as `_Constraints.largest` leaves them."""
    size = rows.A.shape[1]
    bounds = np.stack([rows.lower, rows.upper])
    bounds[1, -1] = ceiling
    bounds[np.abs(bounds) >= UNBOUNDED] *= np.inf
    constraints = LinearConstraint(rows.A, *bounds[:, size:])
    found = milp(-np.eye(size)[0], constraints=constraints, bounds=Bounds(*bounds[:, :size]))
    assert found.x is not None, found.message
    return float(found.x[0])


def test_less_torque_is_slower(scan: PathScan, fastest: SpeedProfile) -> None:
    weak = profile(scan, Allowance(torque_share=0.6, least_force=2.0))
    assert weak.mean_speed < fastest.mean_speed
    assert np.all(weak.speed <= fastest.speed + 1e-3)


def test_a_force_that_no_servo_can_hold_is_refused(scan: PathScan) -> None:
    with pytest.raises(BoaError, match=r"speed profile: at s = .* m no forces within the limits"):
        profile(scan, Allowance(torque_share=0.9, least_force=40.0))


def test_lookup_interpolates_and_repeats() -> None:
    steps = SpeedProfile(
        1.0, 0.5, np.array([1.0, 2.0, 3.0]), np.array([0.1, 0.2, 0.3]), periodic=True
    )
    assert steps.at(1.25) == pytest.approx((1.5, 0.1))
    assert steps.at(1.25 + 3 * 1.5) == pytest.approx((1.5, 0.1))
    assert steps.at(2.25) == pytest.approx((2.0, 0.3))  # between the last and the first
    once = SpeedProfile(1.0, 0.5, steps.speed, steps.acceleration, periodic=False)
    assert once.at(0.0) == pytest.approx((1.0, 0.1))
    assert once.at(9.0) == pytest.approx((3.0, 0.3))
    assert all(a <= b for a, b in pairwise(once.at(s)[0] for s in np.linspace(0, 3, 20)))
