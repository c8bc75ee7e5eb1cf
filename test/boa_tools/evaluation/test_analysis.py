# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A run worked out once: what it needs of the log."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from logs import empty_log
from run_fakes import free_experiment

from boa_description.errors import BoaError
from boa_tools.evaluation.analysis import Analysis


def test_ground_truth_with_a_gap_is_one_clear_error() -> None:
    """A bag whose true motion was lost at ticks 3 and 4 of 10, in the middle of the run."""
    base = np.zeros((10, 3))
    base[3:5] = np.nan
    log = empty_log(10)
    torn = replace(log, truth=replace(log.truth, base=base))
    missing = f"2 of 10 ticks lack ground truth, the first at {log.time[3]:.3f} s"
    with pytest.raises(BoaError, match=f"{missing}.*sim/odometry.*record the run again"):
        Analysis(torn, free_experiment(links=3))
