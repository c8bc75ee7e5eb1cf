# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The low-pass against the solution of its differential equation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from boa_control.estimation.low_pass import LowPass

PERIOD, TIME_CONSTANT = 1e-4, 0.05


def test_a_step_is_followed_as_the_differential_equation_says() -> None:
    """Backward Euler errs by half a period over the time constant: one per mille here."""
    low_pass, output = LowPass(PERIOD, TIME_CONSTANT), 0.0
    for tick in range(1, 2001):
        output = low_pass.follow(output, 1.0)
        assert output == pytest.approx(-math.expm1(-tick * PERIOD / TIME_CONSTANT), abs=1e-3)


def test_without_a_time_constant_the_output_is_the_sample() -> None:
    sample = np.array([1.0, -2.0, 0.5])
    np.testing.assert_array_equal(LowPass(PERIOD, 0.0).follow(np.zeros(3), sample), sample)
