# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The check of a new path by the tables of its controller refuses what `boa plan check` refuses."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pytest

from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.tables import PathTables, make_tables
from boa_control.experiments.build import briefing
from boa_control.experiments.change import changed
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.path_check import Preparation
from boa_control.planning.checks.along_path import PathScan
from boa_control.planning.checks.friction import FrictionRange
from boa_control.planning.checks.plan import check
from boa_description.errors import BoaError
from boa_description.scene import Circle, Obstacle

ROUGH = {"scene.contact.friction": 0.6}
SLIPPERY = {"scene.ground": {"model": "coulomb", "mu": 0.3}}


def preparation(
    name: str, changes: Mapping[str, Any], others: tuple[Obstacle, ...] = ()
) -> Preparation:
    experiment = prepare(changed(load_scenario(name), changes))
    assert experiment.path is not None
    tables = partial(make_tables, briefing(experiment), Parameters())
    return Preparation(tables, experiment.path, 0.0, experiment, others)


def test_the_tables_have_the_chain_that_the_check_works_out() -> None:
    task = preparation("boa_random_field", {})
    ground = task.experiment.scenario.scene.ground
    known = PathScan(task.path, task.experiment.robot, ground, model=task.tables().model)
    anew = PathScan(task.path, task.experiment.robot, ground)
    for s in np.linspace(*anew.extent, 20):
        one, other = known.at(float(s)), anew.at(float(s))
        assert np.array_equal(one.points, other.points)
        assert np.array_equal(one.state.mass, other.state.mass)
        assert np.array_equal(one.state.inertial, other.state.inertial)


@pytest.mark.parametrize(
    ("changes", "others"),
    [
        ({}, ()),
        (ROUGH, ()),
        (SLIPPERY, ()),
        ({}, (Circle(x=1.15, y=0.0, radius=0.05),)),
    ],
)
def test_it_refuses_with_the_first_error_of_the_whole_check(
    changes: Mapping[str, Any], others: tuple[Obstacle, ...]
) -> None:
    task = preparation("boa_circle", changes, others)
    scene = task.experiment.scenario.scene
    friction = FrictionRange.of(scene.contact.friction, scene.ground.coefficient)
    report = check(
        task.path,
        task.experiment.robot,
        scene.ground,
        scene.contact.friction,
        others,
        friction=friction,
    )
    errors = [finding.text for finding in report.findings if finding.level == "error"]
    if not errors:
        assert isinstance(task(), PathTables)
        return
    with pytest.raises(BoaError) as refusal:
        task()
    assert str(refusal.value) == f"new path: {errors[0]}"
