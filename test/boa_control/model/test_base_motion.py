"""Motion of the base against numpy's least squares of the weighted rows."""

from __future__ import annotations

import numpy as np

from boa_control.model.base_motion import base_response


def test_it_is_the_least_squares_solution_of_the_weighted_rows_and_the_prior() -> None:
    rng = np.random.default_rng(1)
    base, weight, prior = rng.normal(size=(7, 3)), rng.uniform(size=7), np.array([0.1, 0.2, 0.3])
    motion = rng.normal(size=7)
    rows = np.vstack([np.sqrt(weight)[:, None] * base, np.diag(np.sqrt(prior))])
    right = np.append(np.sqrt(weight) * motion, np.zeros(3))
    expected = np.linalg.lstsq(rows, right, rcond=None)[0]
    np.testing.assert_allclose(base_response(base, weight, prior) @ motion, expected, rtol=1e-9)
