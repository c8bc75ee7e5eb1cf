# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kernels of how fast posts may be met, against numpy; the rest of them: test_speed_limit."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.compiled.approach import PROTRUSION, TOUCH_DAMPING, touch_damping


@pytest.mark.parametrize("protrusion", [0.0, 0.01, 5 / 90, 0.3, 0.99, 1.0, 1.5])
def test_the_damping_of_a_touch_is_interpolated_as_by_numpy(protrusion: float) -> None:
    expected = np.interp(protrusion, PROTRUSION, TOUCH_DAMPING)
    assert touch_damping(protrusion) == pytest.approx(expected, rel=1e-14)
