"""The fastest speed profile, against programmes of another solver and against the limits at constant speed."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from boa_control.closure.along_path import PathScan
from boa_control.closure.limits import speed_limit
from boa_control.closure.speed_profile import Allowance, SpeedProfile, _Constraints, fastest_profile
from boa_control.controllers.hoal.contact_set import ContactSet
from boa_control.controllers.hoal.path_model import PathState
from boa_control.controllers.hoal.qp import UNBOUNDED
from boa_control.experiment import prepare
from boa_control.library import load_scenario
from boa_control.paths.build import build_path
from boa_control.paths.settings import CirclePath
from boa_description.errors import BoaError
from boa_description.load import load_robot
from test.boa_control.conftest import gap_rows

BOA = load_robot("boa13")
PATH = build_path(CirclePath(kind="circle", radius=1.15, segments=24, attack_angle=np.radians(30), half_line=0.13), BOA)
USE = Allowance(torque_share=0.9, least_force=2.0)


@pytest.fixture(scope="module")
def scan() -> PathScan:
    return PathScan(PATH, BOA)


def profile(scan: PathScan, use: Allowance) -> SpeedProfile:
    return fastest_profile(scan.chain, BOA, scan.state_at, *scan.period, True, use)


@pytest.fixture(scope="module")
def fastest(scan: PathScan) -> SpeedProfile:
    return profile(scan, USE)


def excess(scan: PathScan, contacts: ContactSet, state: PathState, v: float, u: float, use: Allowance) -> float:
    """Least torque beyond the limits with which contact forces can carry this motion, N m (another solver)."""
    push = gap_rows(scan.chain, scan.chain.posture(state.q), contacts.link, contacts.offset, contacts.side)
    bias = state.inertial * v**2 + state.mass @ state.dq * u
    joint_rate = state.dq[3:] * v
    bias[3:] += scan.chain.damping * joint_rate
    stall, line = use.torque_share * BOA.actuator.torque_limit, joint_rate / BOA.actuator.speed_limit
    limit = use.torque_share * BOA.limits.torque
    stall_line = use.torque_share * BOA.actuator.torque_limit * line
    upper, lower = np.minimum(limit, stall - stall_line), np.maximum(-limit, -stall - stall_line)
    count, joints = contacts.link.size, BOA.joints
    beyond = np.ones((joints, 1))
    found = linprog(
        np.r_[np.zeros(count), 1.0],
        A_ub=np.block([[-push[:, 3:].T, -beyond], [push[:, 3:].T, -beyond]]),
        b_ub=np.r_[upper - bias[3:], bias[3:] - lower],
        A_eq=np.hstack([push[:, :3].T, np.zeros((3, 1))]),
        b_eq=bias[:3],
        bounds=[(floor, None) for floor in use.least_force * contacts.activation] + [(0, None)],
    )
    assert found.status == 0 and found.fun is not None, found.message
    return float(found.fun)


def test_every_sample_of_the_profile_can_be_carried_and_some_only_just(scan: PathScan, fastest: SpeedProfile) -> None:
    faster = 0
    for k in range(0, fastest.speed.size, 9):
        state = scan.model.at(fastest.start + k * fastest.step)
        contacts, v, u = (
            scan.at(fastest.start + k * fastest.step).contacts,
            float(fastest.speed[k]),
            float(fastest.acceleration[k]),
        )
        assert excess(scan, contacts, state, v, u, USE) < 0.02  # the tangent to sqrt(x) is that of the pass before
        faster += excess(scan, contacts, state, 1.1 * v, u, USE) > 0.02
    assert faster >= 3


def test_speed_and_acceleration_belong_together(fastest: SpeedProfile) -> None:
    squared = fastest.speed**2
    np.testing.assert_allclose(np.diff(squared), 2 * fastest.step * fastest.acceleration[:-1], atol=1e-9)
    assert squared[0] - squared[-1] == pytest.approx(2 * fastest.step * fastest.acceleration[-1], abs=1e-9)


def test_faster_than_the_slowest_constant_speed_and_never_faster_than_the_limit_without_acceleration(
    scan: PathScan, fastest: SpeedProfile
) -> None:
    limits = [
        speed_limit(scan, scan.at(fastest.start + k * fastest.step), USE.torque_share, USE.least_force)
        for k in range(0, fastest.speed.size, 5)
    ]
    assert fastest.mean_speed > 1.2 * min(limits)
    steady = np.abs(fastest.acceleration[::5]) < 0.05
    assert np.all(fastest.speed[::5][steady] <= np.array(limits)[steady] + 0.02)


def test_the_programmes_are_solved_to_their_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the largest speeds on the path of boa_fastest, where a solver that stops early is off by 1e-5."""
    chosen = prepare(load_scenario("boa_fastest"))
    assert chosen.path is not None
    scan, solve, solved = PathScan(chosen.path, chosen.robot), _Constraints.largest, []

    def compared(rows: _Constraints, unknown: int, step: float, ceiling: float, x: float | None = None) -> float | None:
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
    steps = SpeedProfile(1.0, 0.5, np.array([1.0, 2.0, 3.0]), np.array([0.1, 0.2, 0.3]), periodic=True)
    assert steps.at(1.25) == pytest.approx((1.5, 0.1))
    assert steps.at(1.25 + 3 * 1.5) == pytest.approx((1.5, 0.1))
    assert steps.at(2.25) == pytest.approx((2.0, 0.3))  # between the last and the first
    once = SpeedProfile(1.0, 0.5, steps.speed, steps.acceleration, periodic=False)
    assert once.at(0.0) == pytest.approx((1.0, 0.1))
    assert once.at(9.0) == pytest.approx((3.0, 0.3))
    assert all(a <= b for a, b in pairwise(once.at(s)[0] for s in np.linspace(0, 3, 20)))
