# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""K3D40: counts to newtons, calibration files, fitting."""

from __future__ import annotations

import math
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_description.errors import BoaError
from boa_hardware.block_file import load_block, save_block
from boa_hardware.sensors.k3d40 import (
    Calibration,
    bridge_to_force,
    fit_matrix,
    nominal_calibration,
)

# A published factory matrix of a 10 N K3D40, N/(mV/V); rows force x, y, z.
FACTORY = ((16.835, 0.053, -0.140), (0.024, 16.396, -0.055), (0.337, 0.034, 16.111))


def calibration(**changes: object) -> Calibration:
    values = {
        "serial": "1",
        "date": date(2025, 1, 1),
        "certificate": "c",
        "matrix": FACTORY,
        "range": 10.0,
    }
    return Calibration.model_validate(values | changes)


@given(st.tuples(*[st.floats(-10, 10)] * 3), st.floats(-math.pi, math.pi))
def test_force_is_matrix_times_bridge_voltage_turned_into_link_axes(
    force: tuple[float, ...], angle: float
) -> None:
    mounted = calibration(mounting=angle)
    # what the certificate says the bridge gives
    u = np.linalg.solve(np.array(FACTORY), np.array(force))
    computed = bridge_to_force(u[None], mounted.to_link[None], mounted.to_link_planar[None])[0]
    x, y, z = force
    turned = complex(x, y) * complex(math.cos(angle), math.sin(angle))
    np.testing.assert_allclose(computed, [turned.real, turned.imag, z], atol=1e-12)


@given(st.floats(-10, 10), st.floats(-10, 10))
def test_two_channels_are_exact_when_there_is_no_vertical_force(fx: float, fy: float) -> None:
    sensor = calibration()
    u = np.linalg.solve(np.array(FACTORY), [fx, fy, 0.0])
    u[2] = np.nan
    force = bridge_to_force(u[None], sensor.to_link[None], sensor.to_link_planar[None])[0]
    np.testing.assert_allclose(force[:2], [fx, fy], atol=1e-12)
    assert np.isnan(force[2])


def test_two_channels_without_the_correction_would_be_wrong_by_the_crosstalk() -> None:
    sensor = calibration()
    u = np.linalg.solve(np.array(FACTORY), [10.0, 0.0, 0.0])
    naive = np.array(FACTORY)[:2, :2] @ u[:2]
    corrected = sensor.to_link_planar @ u[:2]
    assert abs(naive[0] - 10.0) > 1e-3
    assert abs(corrected[0] - 10.0) < 1e-12


def test_sensors_are_converted_independently() -> None:
    sensors = [calibration(mounting=0.0), calibration(mounting=math.pi / 2)]
    full = np.array([sensor.to_link for sensor in sensors])
    planar = np.array([sensor.to_link_planar for sensor in sensors])
    force = np.random.default_rng(0).normal(0, 5, (7, 2, 3))
    bridge = np.linalg.solve(full, force[..., None])[..., 0]  # what these loads should read, mV/V
    np.testing.assert_allclose(bridge_to_force(bridge, full, planar), force, atol=1e-12)


def test_file_round_trip(tmp_path: Path) -> None:
    save_block(calibration(offset=(0.01, -0.02, 0.03)), tmp_path / "s.yaml")
    assert load_block(Calibration, tmp_path / "s.yaml") == calibration(offset=(0.01, -0.02, 0.03))
    assert [path.name for path in tmp_path.iterdir()] == ["s.yaml"]  # no draft left behind


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("serial: [", "not valid YAML"),
        ("serail: 5", "did you mean 'serial'"),
        (
            "serial: '5'\ndate: 2025-01-01\ncertificate: c\nmatrix: [[0, 9, 0], [9, 0, 0], [0, "
            "0, 9]]",
            "diagonal",
        ),
        (
            "serial: '5'\ndate: 2025-01-01\ncertificate: c\nmatrix: [[9, 8, 0], [0, 9, 0], [0, "
            "0, 9]]",
            "order of rows",
        ),
    ],
)
def test_wrong_files_are_refused_in_one_line(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(text)
    with pytest.raises(BoaError, match=says) as caught:
        load_block(Calibration, path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BoaError, match="cannot be read"):
        load_block(Calibration, tmp_path / "none.yaml")


def test_nominal_sensor_gives_its_rated_output_at_full_range() -> None:
    assert nominal_calibration(50.0).matrix[0][0] * 0.5 == 50.0


def test_fit_recovers_matrix_and_zero_from_noisy_loads() -> None:
    generator = np.random.default_rng(1)
    force = generator.uniform(-10, 10, (60, 3))
    zero = np.array([0.02, -0.01, 0.005])
    u = np.linalg.solve(np.array(FACTORY), force.T).T + zero
    a, u0, residual = fit_matrix(u, force + generator.normal(0, 0.01, force.shape))
    np.testing.assert_allclose(a, FACTORY, atol=0.03)
    np.testing.assert_allclose(u0, zero, atol=1e-3)
    assert (residual < 0.02).all()


def test_fit_refuses_loads_that_do_not_span_all_axes() -> None:
    u = np.random.default_rng(2).normal(0, 1, (20, 2))
    with pytest.raises(BoaError, match="do not span"):
        fit_matrix(u, np.outer(u[:, 0], [1.0, 0.0]))
    with pytest.raises(BoaError, match="too few"):
        fit_matrix(u[:3], u[:3])
