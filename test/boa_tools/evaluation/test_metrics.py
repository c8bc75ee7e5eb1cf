# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Metrics of hand-made logs with known answers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from logs import empty_log, estimates, true_contacts
from run_fakes import RailPlant, Steady, free_experiment, path_experiment

from boa_control.events import Event, EventKind
from boa_control.safety.faults import Fault, FaultName
from boa_control.safety.trips import Trip
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metric_table import FURTHER, METRICS, metrics, shown
from boa_tools.runs.drive import drive
from boa_tools.runs.runlog import GateTrip, LoggedEvent, SensorSamples, Truth

AGREED = [
    "duration_s",
    "path_progress_m",
    "laps",
    "mean_speed_mps",
    "head_path_error_rms_m",
    "head_path_error_max_m",
    "config_error_rms_rad",
    "config_error_max_rad",
    "force_reference_n",
    "force_error_rms_n",
    "force_estimate_error_rms_n",
    "contact_point_error_rms_m",
    "contacts_min",
    "contacts_mean",
    "contact_chatter_fraction",
    "form_closure_fraction",
    "torque_rms_nm",
    "torque_peak_nm",
    "joint_force_peak_n",
    "saturated_fraction",
    "energy_j",
    "cost_of_transport",
    "real_time_factor",
    "control_step_us_p50",
    "control_step_us_p99",
    "gate_trips",
    "completed",
]


def of(log, experiment=None):
    return metrics(Analysis(log, experiment or free_experiment(links=3)))


def test_the_keys_are_the_agreed_ones():
    assert list(METRICS) == AGREED
    assert list(of(empty_log(10))) == [*AGREED, "extra"]


def test_further_ones_are_described():
    assert set(of(empty_log(10))["extra"]) == set(FURTHER)


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("control_step_us_p99", 15583.5, "15584 us"),
        ("head_path_error_rms_m", 4.41234e-5, "0.04412 mm"),
        ("contact_lost_fraction", 0.5, "50 %"),
        ("completed", True, "yes"),
        ("contacts_from", "truth", "truth"),
        ("laps", None, "–"),
    ],
)
def test_values_read_well(key, value, text):
    assert shown(key, value) == text


def test_what_does_not_apply_is_null():
    values = of(empty_log(10))
    nothing = {key for key, value in values.items() if value is None}
    assert nothing == {
        "path_progress_m",
        "laps",
        "mean_speed_mps",
        "head_path_error_rms_m",
        "head_path_error_max_m",
        "config_error_rms_rad",
        "config_error_max_rad",
        "force_reference_n",
        "force_error_rms_n",
        "force_estimate_error_rms_n",
        "contact_point_error_rms_m",
        "contacts_min",
        "contacts_mean",
        "contact_chatter_fraction",
        "form_closure_fraction",  # nothing stands there that could hold it
        "joint_force_peak_n",
        "cost_of_transport",
        "real_time_factor",
        "control_step_us_p50",
        "control_step_us_p99",
    } - {"contacts_min", "contacts_mean"}
    assert values["contacts_min"] == 0


def test_on_a_robot_nothing_is_said_about_the_truth():
    log = empty_log(10, contacts=estimates([(k, 0, 0, 1, True, 0.1, 4.0, 5.0) for k in range(10)]))
    values = of(replace(log, truth=None, true_contacts=None))
    for key in (
        "force_error_rms_n",
        "contact_chatter_fraction",
        "form_closure_fraction",
        "head_path_error_rms_m",
    ):
        assert values[key] is None, key
    assert values["contacts_min"] == 1 and values["extra"]["contacts_from"] == "controller"
    assert values["extra"]["unanswered_fraction"] == 0.0


def test_on_a_robot_a_tick_without_an_answer_does_not_count_as_a_tick_without_contacts():
    answered = [k for k in range(10) if k not in (3, 7)]
    commanded = np.zeros((10, 2))
    commanded[[3, 7]] = np.nan
    log = empty_log(
        10,
        commanded=commanded,
        contacts=estimates([(k, 0, 0, 1, True, 0.1, 4.0, 5.0) for k in answered]),
    )
    values = of(replace(log, truth=None, true_contacts=None))
    assert values["contacts_min"] == 1 and values["contacts_mean"] == 1.0
    assert values["extra"]["unanswered_fraction"] == pytest.approx(0.2)


def test_energy_is_the_work_of_the_joints_without_what_they_take_out():
    angle = np.zeros((4, 2))
    angle[:, 0] = [0.0, 0.1, 0.3, 0.2]
    applied = np.full((4, 2), 2.0)
    truth = Truth(np.zeros((4, 3)), np.zeros((4, 3)), angle, 0 * angle, applied)
    values = of(empty_log(4, applied=applied, commanded=applied, truth=truth))
    assert values["energy_j"] == pytest.approx(2.0 * 0.3)
    assert values["extra"]["net_work_j"] == pytest.approx(2.0 * 0.2)


def test_energy_of_a_spring_is_its_stored_energy():
    t = np.linspace(0.0, 1.0, 20001)
    # wound up once, stiffness 3
    angle = np.column_stack((0.5 * np.sin(np.pi / 2 * t), np.zeros_like(t)))
    applied = 3.0 * angle
    truth = Truth(np.zeros((t.size, 3)), np.zeros((t.size, 3)), angle, 0 * angle, applied)
    values = of(empty_log(t.size, applied=applied, commanded=applied, truth=truth))
    assert values["energy_j"] == pytest.approx(0.5 * 3.0 * 0.5**2, rel=1e-3)


def test_what_gearboxes_pass_on_is_that_of_the_tick_after():
    """The answer to tick k acts until tick k + 1, whose truth knows what came of it."""
    angle = np.column_stack((np.linspace(0.0, 0.3, 4), np.zeros(4)))
    applied = np.array([[2.0, 0.0], [2.0, 0.0], [2.0, 1.0], [9.0, 9.0]])
    delivered = np.array([[9.0, 9.0], [1.5, 0.0], [1.5, 0.0], [1.5, 1.7]])
    zero = np.zeros((4, 3))
    extra = of(
        empty_log(
            4,
            applied=applied,
            commanded=applied,
            truth=Truth(zero, zero, angle, 0 * angle, delivered),
        )
    )["extra"]
    assert extra["torque_lost_peak_nm"] == pytest.approx(0.7)
    assert extra["torque_lost_rms_nm"] == pytest.approx(np.sqrt((3 * 0.25 + 0.49) / 6))
    assert extra["energy_delivered_j"] == pytest.approx(1.5 * 0.3)
    assert extra["delivered_peak_nm"] == 9.0
    robot = of(empty_log(4, truth=None, true_contacts=None))["extra"]
    assert robot["torque_lost_rms_nm"] is None and robot["delivered_rms_nm"] is None


def test_torque_metrics():
    applied = np.array([[3.0, -4.0], [3.0, -4.0]])
    values = of(empty_log(2, applied=applied, commanded=applied))
    assert values["torque_rms_nm"] == pytest.approx(np.sqrt(12.5))
    assert values["torque_peak_nm"] == 4.0
    assert values["saturated_fraction"] == 0.0


def test_saturated_is_at_the_limit_or_cut_by_the_gate():
    limit = free_experiment(links=3).robot.limits.torque
    applied = np.array([[limit, 0.97 * limit], [-limit, 1.0], [0.0, 0.0], [1.0, 1.0]])
    commanded = applied.copy()
    commanded[1, 1] = 1.5
    values = of(empty_log(4, applied=applied, commanded=commanded))
    assert values["saturated_fraction"] == pytest.approx(3 / 8)


def test_joint_force_is_judged_by_component_as_the_sensor_is():
    force = np.zeros((2, 2, 3))
    force[1, 1] = [30.0, -40.0, np.nan]
    samples = SensorSamples(np.array([0, 2]), np.array([0, 4_000_000]), {"force": force})
    values = of(empty_log(4, sensors={"joint_force": samples}))
    assert values["joint_force_peak_n"] == 40.0
    assert values["extra"]["joint_force_norm_peak_n"] == 50.0


def test_start_up_does_not_count():
    experiment = free_experiment(links=3, evaluation={"settle": 0.01})
    applied = np.zeros((10, 2))
    applied[:5] = 5.0
    applied[5:] = 1.0
    assert (
        of(empty_log(10, applied=applied, commanded=applied), experiment)["torque_peak_nm"] == 1.0
    )


def test_step_times_and_speed_of_the_run():
    log = empty_log(101, control_step_us=np.arange(101.0), wall_s=0.004 * np.arange(101))
    values = of(log)
    assert (values["control_step_us_p50"], values["control_step_us_p99"]) == (50.0, 99.0)
    assert values["real_time_factor"] == pytest.approx(0.5)


def test_a_run_is_completed_when_it_lasted_and_nothing_failed():
    experiment = free_experiment(links=3, duration=0.1)
    assert of(empty_log(50), experiment)["completed"] is True
    assert of(empty_log(49), experiment)["completed"] is False
    stumble = of(empty_log(50, trips=(GateTrip(0, Trip("command_age")),)), experiment)
    assert (stumble["completed"], stumble["gate_trips"]) == (True, 1)
    fault = GateTrip(0, Trip.by(Fault(FaultName.JOINT_FORCE, "joint_03", "too much")))
    assert of(empty_log(50, trips=(fault,)), experiment)["completed"] is False


def test_a_tour_is_completed_at_its_last_target_whatever_time_it_took():
    experiment = path_experiment(tour={"targets": [(1.0, 0.5)]})
    log = empty_log(50, joints=12)
    assert of(log, experiment)["completed"] is False
    arrived, over = (
        LoggedEvent(0, Event(kind=kind)) for kind in (EventKind.TOUR_ARRIVED, EventKind.TOUR_OVER)
    )
    there = replace(log, events=(arrived, over))
    assert of(there, experiment)["completed"] is True
    assert of(replace(log, events=(over,)), experiment)["completed"] is False


def test_a_robot_is_at_its_goal_where_its_controller_tells_so():
    experiment = free_experiment(links=3, goal={"kind": "line", "length": 1.0})
    told = (LoggedEvent(0, Event(kind=EventKind.GUIDE_ENDED)),)
    assert of(empty_log(50, truth=None), experiment)["completed"] is False
    assert of(empty_log(50, truth=None, events=told), experiment)["completed"] is True
    assert of(empty_log(50, events=told), experiment)["completed"] is False, "the true place is not"


@pytest.fixture(scope="module")
def rails():
    """Half a metre on the path at 0.25 m/s, exactly on it."""
    experiment = path_experiment(distance=0.45)
    return experiment, drive(
        experiment, RailPlant(experiment, speed=0.25), Steady(np.zeros(12))
    ).log


def test_on_rails_progress_speed_and_errors_are_known(rails):
    experiment, log = rails
    values = metrics(Analysis(log, experiment))
    assert values["completed"] is True
    assert values["path_progress_m"] == pytest.approx(0.25 * log.time[-1], abs=1e-6)
    assert values["laps"] == pytest.approx(values["path_progress_m"] / experiment.path.curve.length)
    assert values["mean_speed_mps"] == pytest.approx(0.25, rel=1e-5)
    assert values["head_path_error_max_m"] < 2e-6  # the plant's table is interpolated
    assert values["config_error_max_rad"] < 1e-5


def test_beside_the_rails_the_errors_are_the_displacement(rails):
    experiment, log = rails
    shifted = log.truth.base.copy()
    tick = log.ticks // 2
    motion = Analysis(log, experiment).motion
    heading = experiment.path.curve.heading(motion.head.s)[tick]
    shifted[:, :2] += 0.004 * np.array([-np.sin(heading), np.cos(heading)])
    moved = replace(log, truth=replace(log.truth, base=shifted))
    assert Analysis(moved, experiment).motion.head.offset[tick] == pytest.approx(0.004, abs=5e-6)

    bent = log.truth.joint_position.copy()
    bent[:, 9] += 0.02  # in front of the middle joint, so the path coordinate stays
    values = metrics(
        Analysis(replace(log, truth=replace(log.truth, joint_position=bent)), experiment)
    )
    assert values["config_error_max_rad"] == pytest.approx(0.02, abs=1e-5)
    assert values["config_error_rms_rad"] == pytest.approx(0.02 / np.sqrt(12), rel=1e-3)


def test_cost_of_transport(rails):
    experiment, log = rails
    applied = np.where(np.diff(log.truth.joint_position, axis=0, append=0) > 0, 1.0, 0.0)
    values = metrics(Analysis(replace(log, applied=applied), experiment))
    work = np.maximum(np.diff(log.truth.joint_position, axis=0), 0).sum()
    expected = work / (22.715 * 9.81 * values["path_progress_m"])
    assert values["cost_of_transport"] == pytest.approx(expected, rel=1e-4)


def test_without_truth_progress_is_what_the_controller_believes(rails):
    experiment, log = rails
    believed = {"progress_m": 0.3 + 0.2 * log.time}
    blind = replace(log, truth=None, true_contacts=None, debug=believed)
    values = metrics(Analysis(blind, experiment))
    assert values["mean_speed_mps"] == pytest.approx(0.2)
    assert values["head_path_error_rms_m"] is None


# point, direction of push; both turn left
RIGHT = ((1.0, 0.3), (-1.0, 0.0))
LEFT = ((-1.0, -0.3), (1.0, 0.0))
UNDER, ABOVE = ((-0.3, -1.0), (0.0, 1.0)), ((0.3, 1.0), (0.0, -1.0))  # both turn right
UNDER_TOO, ABOVE_TOO = ((0.3, -1.0), (0.0, 1.0)), ((-0.3, 1.0), (0.0, -1.0))  # both turn left


def grasp(tick: int, *contacts: tuple, force: float = 1.0) -> list[tuple]:
    """Contacts of one tick, each with a post and a link of its own."""
    return [(tick, k % 3, k, point, normal, force) for k, (point, normal) in enumerate(contacts)]


POSTS = {
    "obstacles": [{"kind": "circle", "x": float(k), "y": 9.0, "radius": 0.05} for k in range(4)]
}


def test_form_closure_of_known_grasps():
    """Four sides with opposite turns hold; all turning the same way, three contacts, or one without
    force do not.
    """
    slack = [*grasp(3, RIGHT, LEFT, UNDER), (3, 0, 3, *ABOVE, 0.0)]
    rows = [
        *grasp(0, RIGHT, LEFT, UNDER, ABOVE),
        *grasp(1, RIGHT, LEFT, UNDER_TOO, ABOVE_TOO),
        *grasp(2, RIGHT, LEFT, UNDER),
        *slack,
        *grasp(5, ABOVE, UNDER, LEFT, RIGHT),
    ]
    analysis = Analysis(
        empty_log(6, true_contacts=true_contacts(rows)), free_experiment(links=3, scene=POSTS)
    )
    assert analysis.closed.tolist() == [True, False, False, False, False, True]
    assert metrics(analysis)["form_closure_fraction"] == pytest.approx(2 / 6)


def test_closure_by_number_of_contacts():
    evaluation = {"settle": 0.0, "closure": "contacts", "required_contacts": 3}
    experiment = free_experiment(links=3, scene=POSTS, evaluation=evaluation)
    rows = [
        *grasp(0, RIGHT, LEFT, UNDER, ABOVE),
        *grasp(1, RIGHT, LEFT, UNDER),
        *grasp(2, RIGHT, LEFT),
    ]
    values = of(empty_log(4, true_contacts=true_contacts(rows)), experiment)
    assert values["form_closure_fraction"] == 0.5
    assert (values["contacts_min"], values["contacts_mean"]) == (0, 2.25)


def test_forces_are_compared_with_the_feasible_reference():
    rows = [(k, 0, 1, (0, 0), (0, 1), 5.0 + 0.5 * (-1) ** k) for k in range(100)]
    believed = [(k, 1, 0, 1, True, 0.1, 5.0, 5.0) for k in range(100)]
    log = empty_log(100, true_contacts=true_contacts(rows), contacts=estimates(believed))
    values = of(log, free_experiment(links=3, scene=POSTS))
    assert values["force_error_rms_n"] == pytest.approx(0.5)
    assert values["force_reference_n"] == pytest.approx(5.0)
    assert values["force_estimate_error_rms_n"] == pytest.approx(0.5)
    assert values["extra"]["force_estimate_bias_n"] == pytest.approx(0.0, abs=1e-12)
    assert values["contact_chatter_fraction"] == 0.0


def test_without_a_controllers_reference_the_scenarios_counts():
    rows = [(k, 0, 1, (0, 0), (0, 1), 4.0) for k in range(100)]
    experiment = free_experiment(
        links=3, scene=POSTS, evaluation={"settle": 0.0, "force_reference": 5.0}
    )
    values = of(empty_log(100, true_contacts=true_contacts(rows)), experiment)
    assert values["force_error_rms_n"] == pytest.approx(1.0)
    assert values["force_reference_n"] == pytest.approx(5.0)
    assert values["extra"]["established_by"] == "touch"
