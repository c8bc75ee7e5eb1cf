# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Constants of `hoal` that a scenario replaces."""

from __future__ import annotations

import pytest

from boa_control.controllers.hoal.constant import Room
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.experiments.change import changed, value_at
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_description.errors import BoaError
from boa_description.validation import unit_of
from boa_tools.runs.drive import run_experiment

KEY = "controller.parameters.tuning.supervision"
SCENARIO = load_scenario("boa_moved_30mm")
ROOMS = dict(SHIPPED)
CONSTANTS = [(name, key) for name, room in ROOMS.items() for key in type(room).model_fields]


@pytest.mark.closed_loop
@pytest.mark.parametrize(
    "name", ["boa_circle", "boa_moved_20mm", "boa_unmapped_careful", "boa_unknown_start"]
)
def test_a_run_reads_no_constant_but_those_of_its_scenario(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every object gets them handed; one that was forgotten would go on with the shipped ones."""
    given = SHIPPED.model_dump(mode="json")
    scenario = changed(load_scenario(name), {"controller.parameters.tuning": given, "duration": 1})
    shipped, read = {id(room) for room in ROOMS.values()}, set()

    def spy(room: Room, key: str) -> object:
        if key in type(room).model_fields:
            read.add((type(room).__name__, key, id(room) in shipped))
        return object.__getattribute__(room, key)

    monkeypatch.setattr(Room, "__getattribute__", spy)
    run_experiment(prepare(scenario), 0)
    assert read
    assert not [(room, key) for room, key, forgotten in read if forgotten]


def test_one_is_replaced_and_the_others_stay() -> None:
    scenario = changed(SCENARIO, {f"{KEY}.slow_share": 0.8})
    tuning = Parameters.model_validate(scenario.controller.parameters).tuning
    assert tuning.supervision == SHIPPED.supervision.model_copy(update={"slow_share": 0.8})
    assert tuning.law == SHIPPED.law
    assert value_at(SCENARIO, f"{KEY}.slow_share") == SHIPPED.supervision.slow_share


def test_what_follows_from_it_follows() -> None:
    tuning = SHIPPED.supervision.model_validate({"slow_time": 1.0})
    assert tuning.stuck_time == 5.0


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"slow_shar": 0.8}, "did you mean 'slow_share'"),
        ({"slow_share": "much"}, "slow_share: a plain number is needed"),
        ({"slow_time": -1.0}, "slow_time: input should be greater than or equal to 0"),
        ({"soft_to": 0.5}, "soft_from 0.52 must be below soft_to 0.5"),
    ],
)
def test_what_makes_no_sense_is_refused(change: dict[str, object], complaint: str) -> None:
    with pytest.raises(BoaError, match=complaint):
        changed(SCENARIO, {f"{KEY}.{key}": value for key, value in change.items()})


def test_they_stay_few() -> None:
    assert len(CONSTANTS) <= 120, "derive one from another, or take one out"


@pytest.mark.parametrize(("name", "key"), CONSTANTS)
def test_each_has_a_unit_and_a_reason(name: str, key: str) -> None:
    room = ROOMS[name]
    assert isinstance(room, Room)
    field = type(room).model_fields[key]
    assert unit_of(field)
    assert len(field.description or "") > 10
