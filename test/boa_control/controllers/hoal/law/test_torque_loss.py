# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Torque that stays away for a while: it is noticed, and its return is gentle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from boa_control.controllers.hoal.law.torque_loss import TorqueLoss
from boa_control.controllers.hoal.start.contact_acquisition import ContactAcquisition
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.event_text import text_of
from boa_control.experiments.build import build_controller
from boa_control.experiments.change import changed
from boa_control.experiments.datasheet import with_datasheet
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_sim.factory import plant_from_experiment
from test.boa_control.controllers.hoal.robot_rate import at_robot_rate

LONGEST_ABSENCE = SHIPPED.start.held_time

DECISIVE_TORQUE = SHIPPED.law.decisive_torque
LAG = SHIPPED.law.lag

pytestmark = pytest.mark.closed_loop

PERIOD = 2_000_000  # ns
# samples that are no outage yet; the first one is a beginning
PATIENT = 1 + round(LAG * 1e9) // PERIOD
LONGEST_GAP = 0.05
ASKED = np.array([1.0, -2.0, 0.5])


def looks(effort: np.ndarray, asked: np.ndarray = ASKED, ticks: int = PATIENT + 1) -> TorqueLoss:
    outage = TorqueLoss(LONGEST_GAP)
    for tick in range(ticks):
        outage.update(tick * PERIOD, effort)
        outage.record_command(asked)
    return outage


def test_it_begins_after_its_patience_and_ends_at_once() -> None:
    assert not looks(np.zeros(3), ticks=PATIENT).present
    outage = looks(np.zeros(3))
    assert outage.present and outage.began
    assert outage.update((PATIENT + 1) * PERIOD, np.zeros(3)) and not outage.began
    assert not outage.update((PATIENT + 2) * PERIOD, ASKED)


@given(arrays(float, 3, elements=st.floats(-7, 7)), st.floats(0.5, 1.5))
def test_torque_that_comes_is_no_outage_whatever_is_asked(asked: np.ndarray, share: float) -> None:
    assert not looks((share + 1e-9) * asked, asked).present


@pytest.mark.parametrize("lag", range(1, round(LAG * 1e9) // PERIOD))
def test_a_command_that_changes_its_sign_is_given_when_its_turn_comes(lag: int) -> None:
    """On `boa_random_field` with an emulated robot commands of 3 N m changed their signs from tick
    to tick, and what was measured was the command of two ticks before: for six ticks in a row it
    had the opposite sign of the newest one.
    """
    outage, commands = TorqueLoss(LONGEST_GAP), [np.zeros(3)] * lag
    for tick in range(200):
        outage.update(tick * PERIOD, commands[-lag])
        assert not outage.present
        commands.append(outage.record_command(ASKED * (-1) ** tick * (1.0 + 0.5 * np.sin(tick))))
    away = [outage.update((200 + k) * PERIOD, np.zeros(3)) for k in range(PATIENT + 1)]
    assert away[-1] and not any(away[:-2]), "what is not given at all is missed as soon as ever"


@pytest.mark.parametrize("size", [0.5, 1.5, 5.0])
def test_a_slow_robot_takes_hold_anew_after_a_long_absence(size: float) -> None:
    """While its torque comes back over some time, the first commands are too small to decide by."""
    outage, startup = TorqueLoss(LONGEST_GAP), ContactAcquisition(1e-9 * PERIOD)
    while not startup.complete:
        startup.update(missing=0)
    for tick in range(round(1.1e9 * LONGEST_ABSENCE) // PERIOD):
        if outage.update(tick * PERIOD, np.zeros(3)):
            startup.interrupt(speed=0.01, away=outage.away)
        startup.update(missing=2)
        outage.record_command(startup.returning(size * ASKED))
    assert startup.closing


def test_a_controller_that_was_away_knows_that_the_torque_was() -> None:
    outage = looks(ASKED)
    last = PATIENT * PERIOD
    assert not outage.update(last + round(0.99e9 * LONGEST_GAP), ASKED)
    assert outage.update(last + round(2e9 * LONGEST_GAP), ASKED) and outage.began
    assert not outage.update(last + round(2e9 * LONGEST_GAP) + PERIOD, ASKED)


def test_a_short_absence_tells_nothing_of_the_joints() -> None:
    """The gate has half faded the torque by then; it is back with the answer to that sample."""
    outage = looks(ASKED)
    back = PATIENT * PERIOD + round(0.9e9 * LONGEST_GAP)
    assert LAG < 0.9 * LONGEST_GAP, "else there was no question"
    assert not outage.update(back, 0.2 * ASKED)
    assert not outage.update(back + PERIOD, ASKED)
    stays_away = [outage.update(back + k * PERIOD, 0.2 * ASKED) for k in range(2, PATIENT + 2)]
    assert stays_away.count(True) == stays_away[-1] == 1, "but torque that stays away is missed"


def test_it_stays_one_outage_until_torque_has_been_seen() -> None:
    """Whoever has let go asks for so little that nothing can be told from it."""
    outage, began, seen = TorqueLoss(LONGEST_GAP), [], []
    little = 0.5 * DECISIVE_TORQUE * ASKED / np.linalg.norm(ASKED)
    for tick in range(400):
        effort = ASKED if 200 <= tick < 250 else np.zeros(3)
        outage.update(tick * PERIOD, effort)
        outage.record_command(little if outage.present else ASKED if tick % 50 >= 20 else little)
        began += [tick] * outage.began
        seen += [tick] * outage.seen
    assert len(began) == 2 and began[0] < 50 and 250 < began[1] < 300
    assert (
        200 <= seen[0] <= 221
        and seen[-1] == began[1] - 1
        and seen == list(range(seen[0], began[1]))
    )


def test_a_small_torque_tells_nothing() -> None:
    assert not looks(np.zeros(3), 0.5 * DECISIVE_TORQUE * ASKED / np.linalg.norm(ASKED)).present


def largest_joint_force(
    name: str, begin: float, end: float, until: float
) -> tuple[float, float, list[str]]:
    """Run with the torque away from `begin` to `end`: largest joint force after that, N, way after
    that, m, events.
    """
    experiment = prepare(at_robot_rate(load_scenario(name)))
    controller, plant = build_controller(experiment), plant_from_experiment(experiment, 0)
    plant.arm()
    largest, place, progress, events = 0.0, 0.0, 0.0, []
    for tick in range(round(until / experiment.control_period)):
        frame = plant.read()
        output = controller.step(frame)
        events += map(text_of, output.events)
        away = begin <= tick * experiment.control_period < end
        plant.write(np.zeros_like(output.torque) if away else output.torque)
        progress = float(np.asarray(output.debug["progress_m"]))
        if tick * experiment.control_period < end:
            place = progress
        elif frame.joint_force is not None:
            largest = max(largest, float(np.hypot(*frame.joint_force.force[:, :2].T).max()))
    return largest, progress - place, events


@pytest.mark.parametrize(
    ("name", "begin", "end", "until", "usual"),
    [("boa_circle", 0.004, 3.0, 6.0, 7.0), ("boa_friction_010", 3.5, 4.5, 8.0, 25.0)],
    ids=["armed late", "disarmed on the way"],
)
def test_the_return_of_the_torque_is_gentle(
    name: str, begin: float, end: float, until: float, usual: float
) -> None:
    """Without noticing it, joint forces of 400 N and of 57 N came with the torque; a sensor carries
    50 N.
    """
    largest, way, events = largest_joint_force(name, begin, end, until)
    assert largest < usual, "hardly more than on the undisturbed way"
    assert way > 0.05, "and the robot goes on"
    assert events.count("torque withheld") == 1


@pytest.mark.parametrize(
    ("away", "largest", "way", "last"),
    [(0.1, 30.0, 0.05, ""), (0.4, 30.0, -0.02, "start refused: the robot has coasted")],
    ids=["held again at once", "to be laid back"],
)
def test_a_robot_whose_joints_stop_while_its_body_coasts(
    away: float, largest: float, way: float, last: str
) -> None:
    """On a smooth floor, with the friction of real gearboxes, on a path on which contacts can
    hardly push along the way. Taken hold of with weak springs, the robot bent off its path, went
    back at 1 m/s and ended with 50 N in a joint.
    """
    stiff = {"scene.contact.solref": [-40000, -220], "initial.progress": 1.09}
    scenario = changed(with_datasheet(load_scenario("boa_random_field")), stiff)
    experiment = prepare(scenario)
    controller, plant = build_controller(experiment), plant_from_experiment(experiment, 0)
    plant.arm()
    events: list[str] = []
    forces, places, rates = [], [], []
    lost_at = np.inf
    for tick in range(round(12.0 / experiment.control_period)):
        frame = plant.read()
        output = controller.step(frame)
        events += map(text_of, output.events)
        if output.ready:
            places.append(float(np.asarray(output.debug["progress_m"])))
            rates.append(float(np.asarray(output.debug["progress_rate_mps"])))
        time = tick * experiment.control_period
        if lost_at == np.inf and places[-1] >= 1.24:
            lost_at = time
        gone = lost_at <= time < lost_at + away
        plant.write(np.zeros_like(output.torque) if gone else output.torque)
        if time > lost_at and frame.joint_force is not None:
            forces.append(float(np.hypot(*frame.joint_force.force[:, :2].T).max()))
        if time > lost_at + away + 5.5:
            break
    assert max(forces) < largest
    assert max(map(abs, rates)) < 0.2
    assert places[-1] - 1.24 > way
    assert events.count("torque withheld") == 1
    told = [event for event in events if event.startswith(("lost", "start refused"))]
    assert len(told) == bool(last) and all(event.startswith(last) for event in told)
