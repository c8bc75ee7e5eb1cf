# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One law after the other: when the next one takes over, and what it knows by then."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from boa_control.controller import Briefing, ControlOutput
from boa_control.controllers import make_controller
from boa_control.controllers.stretches import controller
from boa_control.controllers.stretches.controller import AtEnd, Stretches
from boa_control.events import Event, EventKind
from boa_control.experiments.change import changed
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.plant import ForceSample, SensorFrame
from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_description.scene import SMOOTH
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metric_table import metrics
from boa_tools.runs.drive import run_experiment
from test.boa_control.controllers.short_path import PATH

ROBOT = load_robot("boa13")
PERIOD = 0.01
GOAL = {"kind": "targets", "points": [[1.0, 0.0], [2.0, 0.0]]}


class Law:
    """Answers with its own number as torque, and with the output that a test prescribes."""

    def __init__(self, number: int, briefing: Briefing) -> None:
        self.number, self.briefing = number, briefing
        self.told: dict[str, Any] = {}
        self.seen = self.reset_count = 0

    def reset(self) -> None:
        self.reset_count += 1

    def look_on(self, frame: SensorFrame) -> None:
        self.seen += 1

    def step(self, frame: SensorFrame) -> ControlOutput:
        return ControlOutput(np.full(frame.position.size, float(self.number)), **self.told)


@pytest.fixture
def laws(monkeypatch: pytest.MonkeyPatch) -> list[Law]:
    made: list[Law] = []

    def make(name: str, parameters: object, briefing: Briefing) -> Law:
        made.append(Law(len(made), briefing))
        return made[-1]

    monkeypatch.setattr(controller, "make_controller", make)
    monkeypatch.setattr(controller, "controller_class", {"any": Law, "blind": object}.get)
    return made


def briefing(joints: int = ROBOT.joints) -> Briefing:
    still = np.zeros(joints)
    return Briefing(ROBOT, (), None, PERIOD, np.zeros(3), still, None, SMOOTH)


def way(*aims: dict[str, Any], otherwise: dict[str, Any] | None = None) -> Stretches:
    parameters: dict[str, Any] = {"stretches": [{"controller": "any", **aim} for aim in aims]}
    if otherwise is not None:
        parameters["otherwise"] = {"controller": "other", **otherwise}
    return Stretches(briefing(), Stretches.Parameters.model_validate(parameters))


def frame(force: float = 0.0) -> SensorFrame:
    still = np.zeros(ROBOT.joints)
    forces = np.zeros((ROBOT.joints, 3))
    forces[3, 1] = -force
    return SensorFrame(0, still, still, still, ForceSample(0, forces), None, still, still)


def present(stretches: Stretches, force: float = 0.0) -> int:
    """The number of the law that answers the next frame."""
    return round(float(stretches.step(frame(force)).torque[0]))


def reached(count: int) -> dict[str, Any]:
    return {"events": (Event(kind=EventKind.TARGET_REACHED, count=count),)}


def test_the_last_target_of_a_stretch_brings_the_next_law(laws: list[Law]) -> None:
    stretches = way({"goal": GOAL}, {"goal": GOAL})
    laws[0].told = reached(1)
    assert [present(stretches) for _ in range(3)] == [0, 0, 0]
    laws[0].told = reached(2)
    assert [present(stretches) for _ in range(2)] == [0, 1]


def test_only_the_last_stretch_tells_of_an_arrival(laws: list[Law]) -> None:
    """On a robot it ends the run."""
    stretches = way({"goal": GOAL}, {"goal": GOAL})
    laws[0].told = laws[1].told = reached(2)
    told = [stretches.step(frame()).events for _ in range(2)]
    arrived = [[event.kind is EventKind.TARGET_REACHED for event in events] for events in told]
    assert arrived == [[False], [False, True]]


def test_a_law_that_does_not_look_on_is_told_of_no_start_but_its_own(laws: list[Law]) -> None:
    """`hoal` would miss the shape in which the robot was laid down."""
    blind = {"controller": "blind"}
    way({"goal": GOAL, **blind}, {"goal": GOAL}, {"path": PATH, **blind})
    told = [law.briefing for law in laws]
    assert [one.start_joints is None for one in told] == [False, False, True]
    assert [one.start_base is None for one in told] == [False, False, True]
    assert told[2].start_progress is not None, "where its path begins"


def test_no_law_takes_over_while_a_joint_is_loaded(laws: list[Law]) -> None:
    stretches = way({"goal": GOAL}, {"goal": GOAL})
    laws[0].told = reached(2)
    assert [present(stretches, 20.5) for _ in range(3)] == [0, 0, 0]
    laws[0].told = {}
    assert present(stretches, 19.5) == 1, "that it has arrived stays so"


def test_at_the_end_of_a_path_the_robot_rests_before_another_law_takes_over() -> None:
    """It counts as standing after REST = 0.8 s, 80 ticks, in which it may rock by 4 mm."""
    arrival = AtEnd(end=2.0, period=PERIOD)

    def ticks(progress: float, desired: float, count: int) -> list[bool]:
        debug = {"speed_reference_mps": desired}
        return [
            arrival.reached(
                ControlOutput(np.zeros(1), debug={**debug, "progress_m": progress + 1e-3 * (k % 4)})
            )
            for k in range(count)
        ]

    assert not any(ticks(1.97, 0.0, 200)), "0.03 m before the end"
    assert not any(ticks(1.99, 0.01, 200)), "it shall still move"
    assert ticks(1.99, 1e-3, 80) == [False] * 79 + [True]
    assert not arrival.reached(ControlOutput(np.zeros(1))), "a law that tells no progress"


def test_later_laws_look_on_until_they_drive(laws: list[Law]) -> None:
    stretches = way({"goal": GOAL}, {"goal": GOAL}, {"goal": GOAL})
    for _ in range(4):
        stretches.step(frame())
    assert [law.seen for law in laws] == [0, 4, 4]
    laws[0].told = reached(2)
    for _ in range(3):
        stretches.step(frame())
    assert [law.seen for law in laws] == [0, 5, 7]


def test_a_reset_begins_with_the_first_stretch(laws: list[Law]) -> None:
    stretches = way({"goal": GOAL}, {"goal": GOAL})
    laws[0].told = reached(2)
    assert [present(stretches) for _ in range(2)] == [0, 1]
    stretches.reset()
    laws[0].told = {}
    assert present(stretches) == 0
    assert [law.reset_count for law in laws] == [1, 1]


def test_each_stretch_is_told_when_it_begins(laws: list[Law]) -> None:
    stretches = way({"goal": GOAL}, {"goal": GOAL})
    laws[0].told = reached(2)
    told = [stretches.step(frame()) for _ in range(3)]
    phases = [[e.state for e in out.events if e.kind is EventKind.PHASE] for out in told]
    assert phases == [["1, any"], ["2, any"], []]
    assert [out.debug["stretch"] for out in told] == [1.0, 2.0, 2.0]


def rocking(stretches: Stretches, law: Law, seconds: float, ahead: float) -> list[ControlOutput]:
    """What is answered while a law rocks to and fro by 0.02 m and comes on by `ahead`, m/s."""
    outputs = []
    for k in range(round(seconds / PERIOD)):
        rocks = 0.02 * np.sin(0.5 * k * PERIOD)
        law.told = {"debug": {"progress_m": 0.3 + ahead * k * PERIOD + rocks}}
        outputs.append(stretches.step(frame()))
    return outputs


def test_another_law_takes_the_rest_of_the_way_from_one_that_comes_no_further(
    laws: list[Law],
) -> None:
    stretches = way({"path": PATH, "patience": 60.0}, {"goal": GOAL}, otherwise={"goal": GOAL})
    outputs = rocking(stretches, laws[0], 61.0, 0.0)
    events = [e for out in outputs for e in out.events]
    assert [e.kind for e in events] == [EventKind.PHASE, EventKind.STANDSTILL, EventKind.PHASE]
    assert events[1].s == pytest.approx(0.3, abs=0.021)
    assert events[2].state == "3, other", "the second stretch begins where the first one ends"
    assert outputs[-1].debug["stretch"] == 3.0
    assert laws[1].seen == laws[2].seen, "both have followed the robot until then"
    laws[2].told = reached(2)
    assert [present(stretches) for _ in range(3)] == [2, 2, 2]


def test_a_law_that_comes_on_slowly_keeps_its_stretch(laws: list[Law]) -> None:
    """0.05 m in 60 s are 0.83 mm/s; what rocks by 0.02 m reaches a new most once in 12.6 s."""
    stretches = way({"path": PATH, "patience": 60.0}, otherwise={"goal": GOAL})
    outputs = rocking(stretches, laws[0], 200.0, 2e-3)
    assert {out.debug["stretch"] for out in outputs} == {1.0}


def test_a_law_without_patience_is_not_left(laws: list[Law]) -> None:
    """Such as hoal, which stops among posts that are too close for a wave."""
    stretches = way({"path": PATH}, otherwise={"goal": GOAL})
    assert {out.debug["stretch"] for out in rocking(stretches, laws[0], 61.0, 0.0)} == {1.0}


@pytest.mark.parametrize("aim", [{}, {"path": PATH, "goal": GOAL}])
def test_a_stretch_follows_a_path_or_a_goal(aim: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="either a path or a goal"):
        way(aim)


@pytest.mark.parametrize(
    ("aim", "otherwise", "said"),
    [
        ({"goal": GOAL, "patience": 60.0}, {"goal": GOAL}, "along a path"),
        ({"path": PATH, "patience": 60.0}, None, "give otherwise"),
        ({"path": PATH}, {"path": PATH, "patience": 60.0}, "nothing comes after otherwise"),
    ],
)
def test_patience_that_could_not_end_is_refused(
    aim: dict[str, Any], otherwise: dict[str, Any] | None, said: str
) -> None:
    with pytest.raises(ValidationError, match=said):
        way(aim, otherwise=otherwise)


def test_what_is_wrong_with_a_stretch_is_said_with_its_number() -> None:
    parameters = {
        "stretches": [
            {
                "controller": "undulation",
                "goal": GOAL,
                "parameters": {"position": "dead_reckoning"},
            },
            {"controller": "undulation", "goal": GOAL},
        ]
    }
    with pytest.raises(BoaError, match="stretch 2: controller undulation: position: tracker"):
        make_controller("stretches", parameters, briefing())


@pytest.mark.closed_loop
def test_the_place_that_a_later_law_goes_by_is_that_of_the_robot() -> None:
    """A second law that had only begun to look at the switch would be the first 0.3 m off."""
    swim = load_scenario("wang_free").controller.parameters
    stretches = [
        {"controller": "undulation", "parameters": swim, "goal": {**GOAL, "points": [[x, 0.0]]}}
        for x in (0.4, 0.5)
    ]
    scenario = changed(
        load_scenario("wang_free"),
        {
            "goal.points": [[0.4, 0.0], [0.5, 0.0]],
            "controller": {"name": "stretches", "parameters": {"stretches": stretches}},
            "plant.control_rate": 200.0,
            "plant.physics_step": 0.0025,
            "duration": 12.0,
        },
    )
    experiment = prepare(scenario)
    after = Analysis(run_experiment(experiment).log, experiment)
    assert metrics(after)["completed"]
    believed = after.log.debug["position_m"]
    assert after.free is not None
    off = np.hypot(*(believed[after.free.tick] - after.free.centre).T)
    assert off.max() < 0.01
