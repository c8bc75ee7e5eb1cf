# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Motion of the base against numpy's least squares of the weighted rows."""

from __future__ import annotations

import numpy as np

from boa_control.model.base_motion import base_motion


def test_it_is_the_least_squares_solution_of_the_weighted_rows_and_the_prior() -> None:
    rng = np.random.default_rng(1)
    base, weight, prior = rng.normal(size=(7, 3)), rng.uniform(size=7), np.array([0.1, 0.2, 0.3])
    moved, expected_motion = rng.normal(size=7), rng.normal(size=3)
    rows = np.vstack([np.sqrt(weight)[:, None] * base, np.diag(np.sqrt(prior))])
    right = np.append(np.sqrt(weight) * moved, np.sqrt(prior) * expected_motion)
    expected = np.linalg.lstsq(rows, right, rcond=None)[0]
    found = base_motion(base, weight, prior, moved, prior * expected_motion)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
