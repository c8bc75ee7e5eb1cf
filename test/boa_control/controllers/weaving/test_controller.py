# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robot weaves along a path and comes to rest on it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from boa_control.controllers import make_controller
from boa_control.experiments.build import briefing
from boa_control.experiments.experiment import prepare
from boa_control.experiments.scenario import Scenario
from boa_control.model.reference import ReferenceTable
from boa_description.errors import BoaError
from boa_tools.runs.drive import run_experiment

POSTS = [{"kind": "circle", "x": 1.9, "y": y, "radius": 0.05} for y in (-0.1, 0.1)]


def scenario(**more: Any) -> Scenario:
    """A straight way of 0.4 m; the head ends between two posts."""
    return Scenario.model_validate(
        {
            "name": "weaving",
            "summary": "to a place between posts",
            "path": {
                "kind": "segments",
                "start": [0.0, 0.0],
                "heading": 0.0,
                "segments": [[2.1, 0.0]],
            },
            "scene": {
                "ground": {"model": "anisotropic", "mu": 0.02, "mu_normal": 0.2},
                "obstacles": POSTS,
            },
            "initial": {"progress": 0.92},
            "plant": {"control_rate": 200.0, "tracker": {}},
            "controller": {"name": "weaving", "parameters": {"head_speed": 0.05}},
            "duration": 45.0,
            **more,
        }
    )


@pytest.mark.closed_loop
def test_it_comes_to_rest_at_the_end_with_its_body_on_the_path():
    """Within 20 mm, from where the posts of a path push a body to its place; a wave of 0.12 m would
    leave it 0.1 m off. On a free floor it slides on while the wave fades, up to 0.1 m.
    """
    experiment = prepare(scenario())
    log = run_experiment(experiment).log
    assert experiment.path is not None
    end = ReferenceTable(experiment.path.curve, 13, 0.13).end
    assert log.debug["path_error_m"][0].max() < 1e-3
    assert end - 0.02 < log.debug["progress_m"][-1] < end + 0.1
    assert log.debug["speed_reference_mps"][-1] == 0.0
    assert log.debug["path_error_m"][-1].max() < 0.02
    assert np.abs(log.debug["reference_rad"]).max() > 0.3, "it has waved"


@pytest.mark.parametrize(
    ("lacking", "said"),
    [({"path": None}, "an open path"), ({"tracked_link": None}, "plant.tracker")],
)
def test_what_it_lacks_is_said(lacking, said):
    told = replace(briefing(prepare(scenario())), **lacking)
    with pytest.raises(BoaError, match=said):
        make_controller("weaving", {}, told)
