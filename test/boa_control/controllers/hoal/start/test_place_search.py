# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Finding the start: what it waits for, what it refuses, how it tells repeats apart; and all of it
in closed loop.
"""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.hoal.parameters import StartSettings
from boa_control.controllers.hoal.start.place_search import UnknownStart
from boa_control.event_text import text_of
from boa_control.experiments.build import build_controller
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import Scenario
from boa_control.model.reference import ReferenceTable
from boa_control.plant import ForceSample, ImuSample, SensorFrame
from boa_description.placement import place_on_curve
from boa_sim.factory import plant_from_experiment
from boa_tools.evaluation.analysis import Analysis
from boa_tools.runs.drive import RunResult, run_experiment
from test.boa_control.controllers.hoal.robot_rate import at_robot_rate

pytestmark = pytest.mark.closed_loop

EXPERIMENT = prepare(load_scenario("boa_unknown_start"))
ROBOT, PATH = EXPERIMENT.robot, EXPERIMENT.path
assert PATH is not None
TABLE = ReferenceTable(PATH.curve, ROBOT.links, ROBOT.link.pitch)
PERIOD = EXPERIMENT.control_period


def finder(**settings: float) -> UnknownStart:
    assert PATH is not None
    return UnknownStart(PATH, TABLE, ROBOT, StartSettings(**settings), PERIOD)


def placed(s: float) -> tuple[np.ndarray, np.ndarray]:
    assert PATH is not None
    return place_on_curve(
        PATH.curve, ROBOT.links, ROBOT.link.pitch, anchor_s=s, anchor_joint=ROBOT.links // 2
    )


def frame(phi: np.ndarray, forces: bool = True, yaw: float | None = None) -> SensorFrame:
    zero = np.zeros(ROBOT.joints)
    imu = None
    if yaw is not None:
        imu = ImuSample.planar(
            0, np.full(ROBOT.links, yaw), np.zeros(ROBOT.links), np.zeros((ROBOT.links, 2))
        )
    force = ForceSample(0, np.zeros((ROBOT.joints, 3))) if forces else None
    return SensorFrame(0, phi, zero, zero, force, imu, zero, zero)


def search(start: UnknownStart, sample: SensorFrame, times: int) -> list[str]:
    """Search in the same sample; the events on the way."""
    told: list[str] = []
    for _ in range(times):
        start.search(sample)
        if start.located:
            return told + list(map(text_of, start.events.pop()))
        output = start.waiting(sample)
        assert not output.ready and not output.torque.any()
        told += map(text_of, output.events)
    return told


def test_as_many_samples_as_asked_for_must_agree() -> None:
    start, sample = finder(samples=10), frame(placed(1.0)[1])
    search(start, sample, 8)
    search(start, frame(placed(1.2)[1]), 1)  # somebody moves the robot
    search(start, sample, 10)
    assert not start.located
    search(start, sample, 1)
    assert start.located and (start.place - 1.0) % TABLE.span == pytest.approx(0.0, abs=1e-5)


def test_no_place_fits() -> None:
    start = finder(samples=5)
    told = search(start, frame(np.zeros(ROBOT.joints)), 30)
    assert not start.located
    assert (
        len(told) == 1
        and "no place on the path fits" in told[0]
        and "lay the robot on its path" in told[0]
    )
    # and now somebody does
    assert search(start, frame(placed(1.0)[1]), 30) and start.located


def test_repeats_that_differ_need_force_sensors_or_a_heading() -> None:
    base, phi = placed(2.0)
    start = finder(samples=5)
    told = search(start, frame(phi, forces=False), 30)
    assert not start.located and "start.heading" in told[0]
    start = finder(samples=5, heading=base[2] - 0.7)
    search(start, frame(phi, forces=False, yaw=0.7), 30)
    assert start.place == pytest.approx(2.0, abs=1e-5)


def test_posts_felt_on_the_wrong_side_lead_to_the_other_repeat() -> None:
    start, sample = finder(samples=5), frame(placed(1.0)[1])
    search(start, sample, 30)
    first = start.place
    for _ in range(300):
        start.update_trial(np.array([-0.3, -0.4, 0.0, -0.5, -0.4]), True)
        if not start.located:
            break
    assert not start.located
    start.search(sample)
    assert start.located
    assert (start.place - first) % (2 * TABLE.span) == pytest.approx(TABLE.span)
    told: list[str] = []
    for _ in range(300):
        start.update_trial(np.array([0.3, 0.4, 0.0, 0.5, 0.4]), True)
        told += map(text_of, start.events.pop())
    assert start.located and any("confirmed" in text for text in told)
    start.update_trial(np.full(5, -10.0), True)  # once confirmed it is not asked again
    assert start.located


def trial(
    start: UnknownStart, forces: np.ndarray, torque_seen: bool = True, most: int = 3000
) -> int:
    """Feel the same until the trial ends: ticks that took."""
    for tick in range(most):
        if not start.located or not start.on_trial:
            return tick
        start.update_trial(forces, torque_seen)
    return most


def test_without_posts_no_repeat_is_ever_confirmed_and_each_trial_takes_longer_up_to_a_limit() -> (
    None
):
    start, sample = finder(samples=5), frame(placed(1.0)[1])
    trials: list[float] = []
    for _ in range(5):
        search(start, sample, 30)
        trials.append(trial(start, np.zeros(5)) * PERIOD)
        assert start.on_trial
    np.testing.assert_allclose(trials, [0.6, 1.2, 2.4, 2.4, 2.4], atol=2 * PERIOD)


def test_a_trial_begins_anew_after_an_outage_of_the_torque_in_the_shape_of_then() -> None:
    start, sample = finder(samples=5), frame(placed(1.0)[1])
    for _ in range(3):  # as patient as it gets
        search(start, sample, 30)
        trial(start, np.zeros(5))
    search(start, sample, 30)
    place, moved = start.place, frame(placed(1.0)[1] + 0.1)
    for _ in range(20):
        assert trial(start, np.zeros(5), most=round(0.3 / PERIOD)) == round(0.3 / PERIOD)
        start.restart_trial(moved)
    assert start.place == place and np.all(start.hold(moved) == 0.0)
    assert trial(start, np.zeros(5)) * PERIOD == pytest.approx(0.6, abs=2 * PERIOD)


def test_a_silent_sensor_leaves_the_decision_to_the_others() -> None:
    start, sample = finder(samples=5), frame(placed(1.0)[1])
    search(start, sample, 30)
    assert trial(start, np.array([np.nan, 0.6, 0.0, 0.6, np.nan])) * PERIOD < 0.6
    assert start.located and not start.on_trial


def test_what_is_felt_without_torque_confirms_nothing() -> None:
    start, sample = finder(samples=5), frame(placed(1.0)[1])
    search(start, sample, 30)
    assert trial(start, np.ones(5), torque_seen=False) == 3000
    assert start.located and trial(start, np.ones(5)) < 5 and not start.on_trial


def run(duration: float, **changes: object) -> tuple[Analysis, RunResult]:
    data = (
        load_scenario("boa_unknown_start").model_dump()
        | {"duration": duration, "distance": None}
        | changes
    )
    experiment = prepare(at_robot_rate(Scenario.model_validate(data)))
    result = run_experiment(experiment)
    return Analysis(result.log, experiment), result


def test_closed_loop_from_a_place_whose_first_guess_is_wrong() -> None:
    analysis, result = run(5.0, initial={"progress": TABLE.span})
    log = result.log
    told = [event.text for event in log.events if "start" in event.text]
    assert [
        word in text for word, text in zip(("found", "refuted", "confirmed"), told, strict=True)
    ] == [True] * 3
    assert analysis.motion is not None
    believed, true = analysis.log.debug["progress_m"], analysis.motion.middle.s
    assert np.abs(believed - true)[-1] < 2e-4
    assert true[-1] - true[0] > 0.15
    assert not log.commanded[:20].any()
    late = log.time > 4.0
    force, (established, _) = analysis.contacts.force, analysis.established
    assert force is not None and established[late].sum() > 1000
    # renumbered posts are the ones that are touched
    assert (force[late][established[late]] > 0).all()


def test_closed_loop_armed_late_at_a_place_whose_first_guess_is_wrong() -> None:
    """Trials of places ran out before there was torque, and the robot drove off from one that
    nothing confirmed.
    """
    data = load_scenario("boa_unknown_start").model_dump() | {"initial": {"progress": TABLE.span}}
    experiment = prepare(at_robot_rate(Scenario.model_validate(data)))
    controller, plant = build_controller(experiment), plant_from_experiment(experiment, 0)
    plant.arm()
    told, largest = [], 0.0
    armed, until = (round(time / experiment.control_period) for time in (2.0, 4.2))
    for tick in range(until):
        sample = plant.read()
        output = controller.step(sample)
        told += [
            (tick, text)
            for text in map(text_of, output.events)
            if "start" in text or "withheld" in text
        ]
        plant.write(output.torque if tick >= armed else np.zeros(ROBOT.joints))
        assert sample.joint_force is not None
        largest = max(largest, float(np.hypot(*sample.joint_force.force[:, :2].T).max()))
    words = ("start found", "torque withheld", "refuted: posts not detected", "start confirmed")
    assert [word in event for word, (_, event) in zip(words, told, strict=True)] == [True] * 4
    assert told[1][0] < armed < told[2][0]
    assert largest < 20.0, "hardly more than armed at once"
    assert float(np.asarray(output.debug["progress_m"])) % (2 * TABLE.span) == pytest.approx(
        TABLE.span, abs=0.1
    )


def test_closed_loop_on_the_table() -> None:
    """Straight beside the path: no torque, ever, and one line that says why."""
    joints = (0.0,) * ROBOT.joints
    _, result = run(0.4, initial={"base": (3.0, 3.0, 0.0), "joints": joints})
    assert not result.log.commanded.any()
    assert [event.text for event in result.log.events if "refused" in event.text]
    assert np.nanmax(result.log.debug["start_confidence"]) < 1e-6


def test_a_known_start_is_not_searched() -> None:
    experiment = prepare(
        load_scenario("boa_circle").model_copy(update={"duration": 0.1, "distance": None})
    )
    log = run_experiment(experiment).log
    assert "start_confidence" not in log.debug
