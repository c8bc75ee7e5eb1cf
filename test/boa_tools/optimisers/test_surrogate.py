# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The function through scattered values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import RBFInterpolator

from boa_tools.optimisers import surrogate
from boa_tools.optimisers.surrogate import fit

RNG = np.random.default_rng(5)
POINTS = RNG.random((30, 2))
ELSEWHERE = RNG.random((50, 2))
SMOOTH = np.sin(3 * POINTS[:, 0]) + POINTS[:, 1] ** 2


@pytest.mark.parametrize("smoothing", [0.0, 0.01])
def test_it_is_the_function_that_scipy_computes(smoothing, monkeypatch):
    monkeypatch.setattr(surrogate, "SMOOTHINGS", (smoothing,))
    known = RBFInterpolator(POINTS, SMOOTH, kernel="cubic", degree=1, smoothing=smoothing)
    assert fit(POINTS, SMOOTH)(ELSEWHERE) == pytest.approx(known(ELSEWHERE), abs=1e-8)


def test_exact_values_are_interpolated_and_noise_is_smoothed():
    assert fit(POINTS, SMOOTH).smoothing == 0.0
    assert fit(POINTS, SMOOTH)(POINTS) == pytest.approx(SMOOTH, abs=1e-8)
    points, more = RNG.random((60, 2)), np.random.default_rng(0).standard_normal(60)
    truth = points[:, 0]
    noisy = fit(points, truth + more)
    assert noisy.smoothing > 0.0
    assert np.sqrt(np.mean((noisy(points) - truth) ** 2)) < 0.5


def test_a_linear_function_is_reproduced_everywhere():
    linear = 2 + POINTS @ [3.0, -1.0]
    assert fit(POINTS, linear)(ELSEWHERE) == pytest.approx(2 + ELSEWHERE @ [3.0, -1.0], abs=1e-7)


def test_the_error_without_a_value_is_that_of_a_fit_without_it(monkeypatch):
    """Rippa's formula against leaving out one value after the other."""
    monkeypatch.setattr(surrogate, "SMOOTHINGS", (0.01,))
    errors = []
    for k in range(30):
        others = np.arange(30) != k
        errors.append(SMOOTH[k] - fit(POINTS[others], SMOOTH[others])(POINTS[k : k + 1])[0])
    linear = np.hstack((np.ones((30, 1)), POINTS))
    kernel = np.linalg.norm(POINTS[:, None] - POINTS, axis=2) ** 3 + 0.01 * np.eye(30)
    inverse = np.linalg.inv(np.block([[kernel, linear], [linear.T, np.zeros((3, 3))]]))
    weights = fit(POINTS, SMOOTH).weights[:30]
    assert weights / np.diag(inverse)[:30] == pytest.approx(np.array(errors), abs=1e-9)


def test_too_few_values_are_refused():
    with pytest.raises(ValueError, match="3 values for 2 variables; 4 are needed"):
        fit(POINTS[:3], SMOOTH[:3])
