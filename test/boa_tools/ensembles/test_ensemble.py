# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The members of an ensemble, and what counts as a success."""

from __future__ import annotations

import pytest
from sweep_fakes import short

from boa_control.experiments.change import changed
from boa_description.errors import BoaError
from boa_tools.ensembles.ensemble import ARM, AS_GIVEN, COMPLETED, MEMBER, Ensemble, check
from boa_tools.ensembles.perturbation import Perturbation
from boa_tools.sweeps.goal import Limit

FORCE, SPEED = "controller.parameters.force", "controller.parameters.speed"
BASE = changed(short(0.1, "boa_circle"), {FORCE: 8.0, SPEED: 0.1})


def ensemble(against=None, perturbed=(FORCE,), reached=COMPLETED):
    return Ensemble(
        "boa_circle",
        "runs",
        "tuning",
        dict.fromkeys((400, 401), BASE),
        3,
        tuple(Perturbation(key, 0.01) for key in perturbed),
        against or {},
        reached,
        "boa ensemble",
    )


def test_the_first_member_of_all_seeds_comes_before_the_second():
    one = ensemble()
    runs = list(one.runs())
    assert [number for number, _, _ in runs] == list(range(one.total)) == list(range(6))
    assert [(point[MEMBER], seed) for _, point, seed in runs] == [
        (member, seed) for member in range(3) for seed in (400, 401)
    ]
    assert len({point[FORCE] for _, point, _ in runs}) == 6
    assert runs == list(one.runs())


def test_a_run_has_the_values_of_its_row():
    one = ensemble({SPEED: 0.05})
    runs = list(one.runs())
    assert len(runs) == 12
    for (_, given, seed), (_, other, same) in zip(runs[::2], runs[1::2], strict=True):
        assert seed == same and given[FORCE] == other[FORCE]
        assert (given[ARM], other[ARM]) == (AS_GIVEN, f"{SPEED}=0.05")
        tasks = [one.task(point, seed) for point in (given, other)]
        assert [task.seed for task in tasks] == [seed, seed]
        parameters = [task.scenario.controller.parameters for task in tasks]
        assert [value["force"] for value in parameters] == [given[FORCE]] * 2
        assert [value["speed"] for value in parameters] == [0.1, 0.05]
        assert tasks[0].key != tasks[1].key


def test_a_perturbation_is_a_share_of_the_arms_own_value():
    runs = list(ensemble({FORCE: 4.0}).runs())
    for (_, given, _), (_, other, _) in zip(runs[::2], runs[1::2], strict=True):
        assert given[FORCE] == pytest.approx(2.0 * other[FORCE], rel=1e-11)


@pytest.mark.parametrize(
    ("row", "reached", "good"),
    [
        ({}, COMPLETED, True),
        ({"completed": False}, COMPLETED, False),
        ({"completed": False}, Limit("path_progress_m", 2.9, least=True), True),
        ({"path_progress_m": 2.8}, Limit("path_progress_m", 2.9, least=True), False),
        ({"path_progress_m": None}, Limit("path_progress_m", 2.9, least=True), False),
        ({"ended": "fault"}, Limit("path_progress_m", 2.9, least=True), False),
        ({"gate_trips": 1}, COMPLETED, False),
        ({"joint_force_peak_n": 30.0}, Limit("joint_force_peak_n", 35.0), True),
        ({"joint_force_peak_n": 40.0}, Limit("joint_force_peak_n", 35.0), False),
        ({"error": "its worker died"}, COMPLETED, False),
    ],
)
def test_a_success_reaches_its_goal_without_a_fault(row, reached, good):
    whole = {"error": None, "ended": "distance", "completed": True, "gate_trips": 0}
    whole |= {"path_progress_m": 3.0}
    assert ensemble(reached=reached).succeeded(whole | row) is good


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        (ensemble(perturbed=(FORCE, FORCE)), "is given twice"),
        (ensemble({SPEED: 0.1}), "does not change the scenario"),
        (ensemble({"controller.parameters.spee": 0.2}), "did you mean"),
        (ensemble({SPEED: -1.0}), "speed"),
    ],
)
def test_what_cannot_run_is_refused_before_anything_runs(wrong, complaint):
    with pytest.raises(BoaError, match=complaint):
        check(wrong)
