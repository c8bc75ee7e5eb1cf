# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The page of an optimisation."""

from __future__ import annotations

import numpy as np

from boa_tools.optimisers.space import Space, Variable
from boa_tools.report.optimisation import Evaluation, optimisation_figures


def test_the_course_numbers_evaluations_as_the_table_does_in_whatever_order_they_ended() -> None:
    ended = [Evaluation(n, {"x": 0.1 * n}, 0.1 * n, (), True) for n in (0, 2, 1)]
    space = Space((Variable("x", 0.0, 1.0),))
    figures = optimisation_figures(ended, space, {"x": None}, "mean_speed_mps", True)
    dots = np.asarray(figures["course"].axes[0].lines[0].get_xydata(), dtype=float)
    np.testing.assert_allclose(dots, [[0, 0], [1, 100], [2, 200]], atol=1e-9)
