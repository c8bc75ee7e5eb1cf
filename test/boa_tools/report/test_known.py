# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Means of columns of which not all is known."""

from __future__ import annotations

import numpy as np
import pytest

from boa_tools.report.plot import root_mean_square


def test_the_root_mean_square_leaves_out_what_is_not_known():
    values = np.array([[3.0, 4.0], [np.nan, 5.0], [np.nan, np.nan]])
    with np.errstate(all="raise"):
        result = root_mean_square(values)
    assert result[:2] == pytest.approx([np.sqrt(12.5), 5.0])
    assert np.isnan(result[2])
