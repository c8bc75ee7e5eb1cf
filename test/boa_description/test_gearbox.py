# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction of gearboxes in closed form, and the shipped ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_description.errors import BoaError
from boa_description.gearbox import gearbox_names, load_gearbox
from boa_description.gearbox_friction import GearboxFriction

STALL = 6.4  # N m, of the XH540-V150-R


@pytest.mark.parametrize("name", gearbox_names())
def test_at_stall_comes_out_the_torque_of_the_data_sheet(name: str) -> None:
    friction = load_gearbox(name).friction
    factor = friction.calibration(STALL)
    assert friction.driving(factor * STALL) == pytest.approx(STALL)
    assert factor >= 1


@pytest.mark.parametrize(
    ("name", "factor", "driving", "back", "fast", "fast_back"),
    [
        ("g10", 1.116, 1.01, 1.24, 1.01, 1.24),
        ("g20", 1.332, 1.01, 1.69, 1.18, 1.49),
        ("g40", 1.887, 1.02, 2.97, 1.46, 2.33),
    ],
)
def test_shares_of_the_study(
    name: str, factor: float, driving: float, back: float, fast: float, fast_back: float
) -> None:
    """The table of the study, worked out by hand for torques so large that b and b_s do not
    count.
    """
    friction = load_gearbox(name).friction
    k = friction.calibration(STALL)
    assert k == pytest.approx(factor, abs=5e-4)
    command = 1e6
    shares = [
        passed(k * command, rate) / command
        for rate in (0.0, 1e3)
        for passed in (friction.driving, friction.driven_back)
    ]
    assert np.array(shares) == pytest.approx([driving, back, fast, fast_back], abs=6e-3)


def test_an_mx_106_is_that_of_its_authors() -> None:
    """`Model.compute_frictions` of github.com/Rhoban/bam with its parameters m5.json and an
    external torque of -L, by hand at one point.
    """
    motor, load, rate = 3.0, 2.0, -0.7
    zone = np.exp(-((0.7 / 1.74571) ** 1.13831))
    expected = abs(0.0226844 * -load - 0.207637 * motor)
    expected += zone * (0.122427 + abs(0.0849016 * -load - 0.195193 * motor))
    limit = load_gearbox("mx106_m5").friction.limit(*map(np.array, (motor, load, rate)))
    assert limit == pytest.approx(expected, rel=1e-4)


FRICTION = st.builds(
    GearboxFriction,
    *(st.floats(0, 0.5) for _ in range(1)),
    *(st.floats(0, 0.45) for _ in range(2)),
    st.floats(0, 0.5),
    *(st.floats(0, 0.45) for _ in range(2)),
    st.floats(0.1, 3),
    st.floats(0.5, 3),
)


@given(FRICTION, st.floats(0.01, 10), st.floats(0, 5))
def test_what_is_passed_on_solves_the_law(
    friction: GearboxFriction, motor: float, rate: float
) -> None:
    """L = t - F with F at its limit, against the motion: along t where the joint drives, against
    it where it is driven back.
    """
    for sign in (1.0, -1.0):
        driving = float(friction.driving(sign * motor, rate))
        back = float(friction.driven_back(sign * motor, rate))
        limit = friction.limit(*map(np.array, (sign * motor, back, rate)))
        assert sign * back == pytest.approx(motor + float(limit))
        limit = friction.limit(*map(np.array, (sign * motor, driving, rate)))
        if driving:
            assert sign * driving == pytest.approx(motor - float(limit))
        else:
            assert motor <= float(limit) + 1e-12
        assert abs(driving) <= motor <= abs(back)


def test_losses_of_every_joint_are_scaled_and_the_stribeck_zone_is_not() -> None:
    friction = load_gearbox("g20").friction
    scaled = friction.scaled(np.array([0.7, 1.3]))
    at = [np.array([3.0, -3.0]), np.array([2.0, 1.0]), np.array([0.4, 1.2])]
    one_by_one = [
        factor * friction.limit(*(column[joint] for column in at))
        for joint, factor in enumerate((0.7, 1.3))
    ]
    assert scaled.limit(*at) == pytest.approx(one_by_one)


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(
        'name: mine\nsummary: mine\nload: {value: 12, unit: "%", source: "Rig, 2026"}\n', "utf-8"
    )
    assert load_gearbox(str(file)).friction == GearboxFriction(0.0, load=0.12)


def test_a_file_with_values_of_each_joint(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(
        "name: mine\nsummary: mine\nmotor: {value: 0.2, unit: 1, source: x}\n"
        'losses: {value: [50, 150], unit: "%", source: x}\n'
        "calibration: {value: [1.2, 1.4], unit: 1, source: x}\n",
        "utf-8",
    )
    gearbox = load_gearbox(str(file))
    friction, k = gearbox.of_each(2, STALL)
    assert friction.motor == pytest.approx([0.1, 0.3])
    assert k == pytest.approx([1.2, 1.4])
    assert gearbox.motor_per_command(STALL) == pytest.approx(1.3)
    with pytest.raises(BoaError, match="losses has 2 values, the robot 12 joints"):
        gearbox.of_each(12, STALL)


def test_one_value_of_a_servo_is_for_all_joints(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(
        "name: m\nsummary: m\ncalibration: {value: [1.25], unit: 1, source: x}\n", "utf-8"
    )
    assert load_gearbox(str(file)).of_each(3, STALL)[1] == pytest.approx([1.25] * 3)
    plain = load_gearbox("g20")
    assert plain.of_each(3, STALL)[1] == pytest.approx([plain.friction.calibration(STALL)] * 3)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("losses: {value: [1.0, -0.1], unit: 1, source: x}", "a factor of -0.1"),
        ("losses: {value: [1.0, a], unit: 1, source: x}", "value must be a number, got 'a'"),
        ("load: {value: [0.1], unit: 1, source: x}", "value must be a number"),
        ("load: {value: 0.1, unit: 1}", "'source' is missing"),
        ("lode: {value: 0.1, unit: 1, source: x}", "did you mean 'load'"),
        (
            "motor: {value: 0.6, unit: 1, source: x}\n"
            "stribeck_motor: {value: 0.5, unit: 1, source: x}",
            r"motor \+ stribeck_motor are 1.1; from 1 on the gearbox locks itself",
        ),
    ],
)
def test_wrong_files_are_refused_in_one_line(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(f"name: mine\nsummary: mine\n{text}\n", "utf-8")
    with pytest.raises(BoaError, match=says):
        load_gearbox(str(file))


def test_unknown_gearboxes_are_named_with_those_that_there_are() -> None:
    with pytest.raises(BoaError, match=r"gearbox 'g21'.*'g20'"):
        load_gearbox("g21")
    with pytest.raises(BoaError, match="does not exist; shipped ones: g10, g20"):
        load_gearbox("./none.yaml")
