# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A wave between two walls."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.experiments.change import changed
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metric_table import metrics
from boa_tools.runs.drive import run_experiment

pytestmark = pytest.mark.closed_loop


def test_a_quick_wave_goes_head_first_from_a_start_that_is_10_mm_wrong() -> None:
    """27 mm/s from the end of the start on; 14 N, no wall pressed though the head lies 8 mm off the
    middle. Two seconds at full amplitude.
    """
    experiment = prepare(changed(load_scenario("boa_duct_datasheet"), {"duration": 8.0}))
    after = Analysis(run_experiment(experiment, 1).log, experiment)
    assert after.free is not None
    full = np.searchsorted(after.free.time, 6.0)
    way = after.free.centre[-1, 0] - after.free.centre[full, 0]
    assert way / (after.free.time[-1] - 6.0) > 0.026
    values = metrics(after)
    assert values["joint_force_peak_n"] < 20 and values["gate_trips"] == 0
    assert np.abs(after.free.centre[:, 1]).max() < 0.02
