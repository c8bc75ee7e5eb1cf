# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robot weaves along a path and comes to rest on it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from boa_control.controllers import make_controller
from boa_control.experiments.build import briefing
from boa_control.experiments.experiment import prepare
from boa_control.model.reference import ReferenceTable
from boa_description.errors import BoaError
from boa_tools.runs.drive import run_experiment
from test.boa_control.controllers.weaving.straight_way import weaving


@pytest.mark.closed_loop
def test_it_comes_to_rest_at_the_end_with_its_body_on_the_path():
    """Within 50 mm on a free floor, where no posts push it to its place; a wave of 0.12 m would
    leave it 0.1 m off, as do the lead and gain by which it gets out of posts. It slides on while
    the wave fades, up to 0.1 m, and stands from the 18th second on.
    """
    experiment = prepare(weaving(head_speed=0.05, lead=0.04, gain=0.7))
    log = run_experiment(experiment).log
    assert experiment.path is not None
    end = ReferenceTable(experiment.path.curve, 13, 0.13).end
    assert log.debug["path_error_m"][0].max() < 1e-3
    assert end - 0.02 < log.debug["progress_m"][-1] < end + 0.1
    assert np.ptp(log.debug["progress_m"][-200:]) < 1e-3, "for a second it stands"
    assert log.debug["speed_reference_mps"][-1] == 0.0
    assert log.debug["path_error_m"][-1].max() < 0.05
    assert np.abs(log.debug["reference_rad"]).max() > 0.3, "it has waved"


@pytest.mark.parametrize(
    ("lacking", "said"),
    [({"path": None}, "an open path"), ({"tracked_link": None}, "plant.tracker")],
)
def test_what_it_lacks_is_said(lacking, said):
    told = replace(briefing(prepare(weaving())), **lacking)
    with pytest.raises(BoaError, match=said):
        make_controller("weaving", {}, told)
