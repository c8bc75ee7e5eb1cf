# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Success rates and percentiles over seeds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from boa_tools.evaluation.spread import median, percentiles, success_rate, wilson


@pytest.mark.parametrize(("count", "total"), [(0, 20), (19, 20), (20, 20), (3, 7), (1, 1)])
def test_the_interval_is_wilsons(count, total):
    """SciPy's implementation; it takes 1.95996 for our 1.96."""
    rate = wilson(count, total)
    known = binomtest(count, total).proportion_ci(method="wilson")
    assert (rate.low, rate.high) == pytest.approx((known.low, known.high), abs=1e-4)
    assert rate.share == count / total


def test_nothing_is_known_without_runs():
    rate = success_rate([])
    assert (rate.low, rate.high) == (0.0, 1.0) and np.isnan(rate.share)
    assert np.isnan(percentiles([], "x")).all() and median([], "x") is None


def test_runs_without_the_metric_do_not_count():
    rows = [{"x": value, "success": value != 1.0} for value in (1.0, None, 3.0, 2.0)] + [
        {"success": False}
    ]
    assert percentiles(rows, "x") == pytest.approx([1.0, 1.5, 2.0, 2.5, 3.0])
    assert median(rows, "x") == 2.0 and median(rows, "y") is None
    assert success_rate(rows).count == 3
