# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Calibration from recorded loads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from boa_control.plant import PlantError
from boa_description.errors import BoaError
from boa_hardware.sensors.load_points import LoadPoint, append_point, fit_calibration, read_points

TRUE = np.array([[101.0, 1.5], [-0.8, 98.0]])
ZERO = np.array([0.012, -0.034])


def point(force: tuple[float, float], joint: int = 2) -> LoadPoint:
    u = np.linalg.solve(TRUE, force) + ZERO
    noise = np.random.default_rng(0).normal(0, 1e-4, (100, 2))
    return LoadPoint.from_samples(joint, u + noise - noise.mean(axis=0), force)


LOADS = [(10.0, 0.0), (-10.0, 0.0), (0.0, 10.0), (0.0, -10.0), (20.0, 20.0), (0.0, 0.0)]


def test_recorded_loads_give_the_true_matrix_and_zero(tmp_path: Path) -> None:
    path = tmp_path / "loads.csv"
    for load in LOADS:
        append_point(path, point(load))
    points = read_points(path)
    assert points == [point(load) for load in LOADS]
    calibration, residual = fit_calibration(points, "K-7", 50.0)
    np.testing.assert_allclose(calibration.to_link_planar, TRUE, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(calibration.offset[:2], ZERO, atol=1e-12)
    assert residual.max() < 1e-9
    assert (calibration.serial, calibration.range) == ("K-7", 50.0)
    assert "6 loads on joint 2" in calibration.certificate


def test_lost_samples_are_left_out_and_too_few_are_refused() -> None:
    bridge = np.full((50, 2), 0.1)
    bridge[::2] = np.nan
    assert LoadPoint.from_samples(1, bridge, (1.0, 2.0)).bridge == pytest.approx((0.1, 0.1))
    for nothing in (np.full((50, 2), np.nan), np.empty((0,))):
        with pytest.raises(PlantError, match=r"0 of \d+ samples .* 20 are needed"):
            LoadPoint.from_samples(1, nothing, (1.0, 2.0))


def test_one_file_per_sensor(tmp_path: Path) -> None:
    append_point(tmp_path / "loads.csv", point((1.0, 0.0), joint=2))
    with pytest.raises(BoaError, match="holds loads of joint 2"):
        append_point(tmp_path / "loads.csv", point((1.0, 0.0), joint=3))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "no load points can be read"),
        ("", "no load points can be read"),
        ("a,b\n", "columns are a, b; expected joint"),
        ("joint,bridge_x,bridge_y,force_x,force_y,noise_x,noise_y\n1,2,3\n", "line 2"),
        ("joint,bridge_x,bridge_y,force_x,force_y,noise_x,noise_y\n1,2,3,4,5,x,7\n", "line 2"),
    ],
)
def test_wrong_files_are_refused(tmp_path: Path, text: str | None, says: str) -> None:
    path = tmp_path / "loads.csv"
    if text is not None:
        path.write_text(text)
    with pytest.raises(BoaError, match=says):
        read_points(path)


def test_nothing_to_fit() -> None:
    with pytest.raises(BoaError, match="no load points"):
        fit_calibration([], "K", 50.0)
