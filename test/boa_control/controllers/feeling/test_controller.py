# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The controller `feeling` in closed loop, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controller import SetPoint
from boa_control.controllers.steered import SteeredController
from boa_control.events import EventKind
from boa_control.experiments.build import build_controller
from boa_control.experiments.change import changed
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import Scenario
from boa_control.paths.corrected_map import CorrectedPost
from boa_description.errors import BoaError
from boa_sim.factory import plant_from_experiment

POST = np.array([0.12, 1.5])


def before_one_post() -> Scenario:
    post = {"kind": "circle", "x": POST[0], "y": POST[1], "radius": 0.05}
    return changed(load_scenario("boa_blind_field"), {"disturbance.unmapped.posts": [post]})


def told(scenario: Scenario, seconds: float) -> list[EventKind]:
    """Kinds of the events of a run."""
    experiment = prepare(scenario)
    plant, controller = plant_from_experiment(experiment, 0), build_controller(experiment)
    plant.arm()
    kinds = []
    for _ in range(round(seconds / experiment.control_period)):
        output = controller.step(plant.read())
        plant.write(output.torque)
        kinds += [event.kind for event in output.events]
    plant.close()
    return kinds


def test_it_meets_a_post_goes_back_and_on_past_it() -> None:
    """12 s: 3 s to the post, 2.3 s back, the rest beside it. It is placed to 5 mm, relative to
    where the robot believes itself; the head comes further than it ever was, clear of the post.
    """
    experiment = prepare(before_one_post())
    plant = plant_from_experiment(experiment, 0)
    controller = build_controller(experiment)
    plant.arm()
    kinds, place, largest = [], None, 0.0
    posts: tuple[CorrectedPost, ...] = ()
    for _ in range(round(12.0 / experiment.control_period)):
        frame = plant.read()
        output = controller.step(frame)
        plant.write(output.torque)
        assert frame.joint_force is not None
        largest = max(largest, float(np.abs(frame.joint_force.force).max()))
        for event in output.events:
            kinds.append((event.kind, event.state))
            place = place or event.place
        posts = posts if output.corrected_map is None else output.corrected_map.posts
    assert kinds[:3] == [
        (EventKind.UNMAPPED_POST, None),
        (EventKind.PHASE, "back"),
        (EventKind.PHASE, "on"),
    ]
    assert place is not None and np.hypot(*(np.array(place) - POST)) < 5e-3
    assert [(post.number, post.kind) for post in posts] == [(0, "unexpected")]
    assert largest < 45.0
    truth = plant.truth()
    plant.close()
    heading = np.cumsum([truth.base[2], *truth.joint_position])
    axis = truth.base[:2] + 0.13 * np.array([np.cos(heading).sum(), np.sin(heading).sum()])
    assert axis[0] > POST[0] - 0.09


def test_sensors_of_the_data_sheets_push_nothing() -> None:
    """4 s before the first post. The noise of forces and accelerometers is 0.3 N on a link; rates
    of joints in steps of 0.024 rad/s put another 5 N on the head, as the floor was thought to push.
    """
    scenario = changed(before_one_post(), {"plant.effects.fidelity": "datasheet"})
    far = {"kind": "circle", "x": 3.0, "y": 1.5, "radius": 0.05}
    experiment = prepare(changed(scenario, {"disturbance.unmapped.posts": [far]}))
    plant = plant_from_experiment(experiment, 0)
    controller = build_controller(experiment)
    plant.arm()
    pushed = []
    for tick in range(round(4.0 / experiment.control_period)):
        output = controller.step(plant.read())
        plant.write(output.torque)
        if tick > 100:
            pushed.append(output.debug["link_force_n"])
    plant.close()
    assert np.max(pushed) < 2.5


def test_it_sets_out_from_where_it_lies_when_it_is_armed() -> None:
    """6 s without torque: a track that went on by itself would end 1 rad from the joints."""
    experiment = prepare(before_one_post())
    plant = plant_from_experiment(experiment, 0)
    controller = build_controller(experiment)
    largest = 0.0
    for _ in range(round(6.0 / experiment.control_period)):
        output = controller.step(plant.read())
        plant.write(output.torque)
        largest = max(largest, float(np.abs(output.torque).max()))
    plant.close()
    assert largest < 1.0


def test_torques_that_act_late_do_not_shake_it() -> None:
    """6 s, a touch after 3 s, 25 ms late in all: no joint is faster than 0.3 rad/s. With 20 N m/rad
    and 1 N m s/rad they swing at 7 rad/s.
    """
    experiment = prepare(changed(before_one_post(), {"disturbance.sensor_delay_ticks": 4}))
    plant, controller = plant_from_experiment(experiment, 0), build_controller(experiment)
    plant.arm()
    fastest = 0.0
    for _ in range(round(6.0 / experiment.control_period)):
        plant.write(controller.step(plant.read()).torque)
        fastest = max(fastest, float(np.abs(plant.truth().joint_velocity).max()))
    plant.close()
    assert fastest < 1.0


def test_it_stands_while_it_is_stopped() -> None:
    """For longer than its patience, which does not run meanwhile. First its joints unwind: 20 mm in
    10 s.
    """
    experiment = prepare(before_one_post())
    plant, controller = plant_from_experiment(experiment, 0), build_controller(experiment)
    assert isinstance(controller, SteeredController)
    plant.arm()

    def travelled(seconds: float) -> float:
        before, kinds = plant.truth().base, set()
        for _ in range(round(seconds / experiment.control_period)):
            output = controller.step(plant.read())
            plant.write(output.torque)
            kinds |= {event.kind for event in output.events}
        assert kinds <= {EventKind.SET_POINT}
        return float(np.hypot(*(plant.truth().base - before)[:2]))

    assert travelled(2.0) > 0.02
    controller.steer(SetPoint(0.0, 0.0, 0.0))
    travelled(15.0)
    assert travelled(1.0) < 0.001
    controller.steer(SetPoint(0.03, 0.0, 0.0))
    assert travelled(0.8) > 0.005
    plant.close()


def test_at_its_end_it_stands() -> None:
    """Of a course of 60 mm, for longer than its patience: nothing is in its way there."""
    goal = {"kind": "line", "start": [-0.7829, 1.5], "length": 0.06}
    changes = {
        "goal": goal,
        "controller.parameters.retreat.patience": 3.0,
        "disturbance.unmapped.posts": [],
    }
    assert told(changed(before_one_post(), changes), 8.0) == [EventKind.GUIDE_ENDED]


@pytest.mark.parametrize("refused", [SetPoint(-0.01, 0.0, 0.0), SetPoint(0.03, 5.0, 0.0)])
def test_it_goes_back_only_by_itself_and_regulates_no_force(refused: SetPoint) -> None:
    controller = build_controller(prepare(before_one_post()))
    assert isinstance(controller, SteeredController)
    with pytest.raises(BoaError, match="controller feeling"):
        controller.steer(refused)
    assert controller.set_point == SetPoint(0.03, 0.0, 0.0)


def test_it_passes_posts_that_its_map_has() -> None:
    """The post of the test above, with its place known to 5 mm: no touch, no way back, and what it
    would have touched is still "mapped".
    """
    post = {"kind": "circle", "x": POST[0], "y": POST[1], "radius": 0.05, "std": 0.005}
    changes = {"scene.obstacles": [post], "disturbance.unmapped.posts": []}
    assert not told(changed(before_one_post(), changes), 10.0)


def test_it_wants_a_guide() -> None:
    target = {"kind": "targets", "points": [[1.0, 1.5]]}
    with pytest.raises(BoaError, match="feeling: it follows a guide; add goal"):
        build_controller(prepare(changed(before_one_post(), {"goal": target})))


@pytest.mark.parametrize("across", [{}, {"model": "anisotropic", "mu_normal": 0.3}])
def test_it_wants_a_floor_that_grips_across(across: dict[str, object]) -> None:
    ground = {"model": "coulomb", "mu": 0.3, "slip_speed": 0.015, **across}
    with pytest.raises(BoaError, match="feeling needs a floor that grips across the links"):
        build_controller(prepare(changed(before_one_post(), {"scene.ground": ground})))
