# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A sweep before it runs: its combinations, and what is refused."""

from __future__ import annotations

import pytest
from sweep_fakes import short

from boa_description.errors import BoaError
from boa_tools.sweeps import plan as plans
from boa_tools.sweeps.plan import Axis, Plan, check, said

SPEED, OFFSET = "controller.parameters.speed", "disturbance.obstacle_offset"
BASE = short(0.1, "boa_circle")


def plan(*axes, seeds=(0, 1), base=BASE):
    return Plan(base, tuple(Axis(key, values) for key, values in axes), seeds)


def test_every_combination_has_every_seed_and_the_first_seed_covers_the_range():
    sweep = plan((OFFSET, (0.0, 0.01)), (SPEED, (0.05, 0.1, 0.2)))
    runs = list(sweep.runs())
    assert sweep.total == len(runs) == 12
    assert [number for number, _, _ in runs] == list(range(12))
    assert [seed for _, _, seed in runs] == [0] * 6 + [1] * 6
    assert [tuple(point.values()) for _, point, _ in runs[:4]] == [
        (0.0, 0.05),
        (0.0, 0.1),
        (0.0, 0.2),
        (0.01, 0.05),
    ]
    assert runs[0][1] == {OFFSET: 0.0, SPEED: 0.05}
    scenario = sweep.task(*runs[11][1:]).scenario
    assert scenario.disturbance.obstacle_offset == 0.01
    assert scenario.controller.parameters["speed"] == 0.2


def test_runs_are_named_by_their_values():
    sweep = plan((OFFSET, (0.01,)), (SPEED, (0.05,)))
    assert sweep.task(sweep.points[0], 7).key == "obstacle_offset 0.01, speed 0.05, seed 7"
    assert said({SPEED: 0.1}) == "speed 0.1"


def test_a_sweep_that_can_run_passes():
    check(plan((OFFSET, (0.0, 0.01)), (SPEED, (0.05,))))


@pytest.mark.parametrize(
    ("axes", "complaint"),
    [
        ([("plant.disturbance.obstacle_offset", (0.01,))], "did you mean 'disturbance.obstacle"),
        ([(OFFSET, (0.0, 0.9))], "less than or equal to 0.5 m"),
        ([(SPEED, (0.05,)), (SPEED, (0.1,))], "is given twice"),
        ([("controller.parameters.force", (5.0,))], "does not change the scenario: 5.0 is its"),
        ([(OFFSET, (0.0,)), (SPEED, (0.05, 0.1))], "obstacle_offset does not change the scenario"),
        # what the plant, the path and the controller refuse when they are made
        ([("scene.ground", ({"model": "coulomb", "mu": 0.9},))], "raise scene.ground.slip_speed"),
        ([("path.radius", (2.0, 0.1))], "radius 0.1"),
        (
            [
                ("set_points", ([{"time": 0, "speed": 9}],)),
            ],
            "speed",
        ),
    ],
)
def test_what_the_scenario_refuses_is_refused_before_anything_runs(axes, complaint):
    with pytest.raises(BoaError) as error:
        check(plan(*axes))
    assert complaint in str(error.value)
    assert "\n" not in str(error.value)


def test_values_that_give_the_same_scenario_are_refused():
    """An empty block of effects is ideal, as the word says, and the default is no other."""
    with pytest.raises(BoaError, match="does not change the scenario"):
        check(plan(("plant.effects", ({}, {"fidelity": "ideal"}))))
    check(plan(("plant.effects", ({}, {"fidelity": "datasheet"}))))


def test_a_slip_of_the_hand_is_not_run(monkeypatch):
    monkeypatch.setattr(plans, "MOST_RUNS", 10)
    with pytest.raises(BoaError, match="these would be 12 runs, at most 10"):
        check(plan((OFFSET, (0.0, 0.01)), seeds=tuple(range(6))))
