# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Limits of joint forces and of the speed of links: the same keys slow down every gait."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers import CONTROLLERS, controller_class
from boa_control.controllers.gait_limits import GaitLimits
from boa_control.controllers.pace import SLOWEST
from boa_control.experiments.build import build_controller
from boa_control.experiments.change import changed
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import Scenario
from boa_control.plant import ForceSample, SensorFrame
from boa_description.errors import BoaError
from boa_sim.factory import plant_from_experiment
from test.boa_control.controllers.weaving.straight_way import weaving

WAVE = {"kind": "wave", "amplitude": 0.5, "frequency": 2.0, "phase_shift": 0.5}


def scenario_of(name: str) -> Scenario:
    """A planar scenario of the controller."""
    if name == "joint_pd":
        wave = {"name": "joint_pd", "parameters": {"gait": WAVE, "ramp": 2.0}}
        return changed(load_scenario("boa_targets"), {"controller": wave})
    if name == "weaving":
        return weaving(lead=0.04, gain=0.7)
    if name == "feeling":
        return changed(load_scenario("boa_blind_field"), {"controller": {"name": "feeling"}})
    return load_scenario({"undulation": "boa_targets", "shape_path": "scp_line_flat"}[name])


GAITS = ["feeling", "joint_pd", "shape_path", "undulation", "weaving"]


def test_these_are_all_that_share_the_keys() -> None:
    sharing = {n for n in CONTROLLERS if issubclass(controller_class(n).Parameters, GaitLimits)}
    assert sharing == set(GAITS)


def pace_after(name: str, force: float, **parameters: float) -> float:
    """Of the gait, after 2 s in which the joints follow and one carries `force`, N."""
    changes = {f"controller.parameters.{key}": value for key, value in parameters.items()}
    at = prepare(changed(scenario_of(name), changes))
    plant = plant_from_experiment(at)
    frame, controller = plant.read(), build_controller(at)
    loads = np.zeros((at.robot.joints, 3))
    loads[4, 0] = force
    period_ns = round(at.control_period * 1e9)
    for _ in range(round(2.0 / at.control_period)):
        output = controller.step(frame._replace(joint_force=ForceSample(frame.stamp_ns, loads)))
        reference = output.debug["reference_rad"]
        frame = frame._replace(
            position=reference,
            velocity=(reference - frame.position) / at.control_period,
            stamp_ns=frame.stamp_ns + period_ns,
        )
    return float(output.debug["pace"])


@pytest.mark.parametrize("name", GAITS)
def test_a_loaded_joint_slows_the_gait_down(name: str) -> None:
    assert pace_after(name, 60.0, joint_force=50.0) == pytest.approx(SLOWEST, abs=0.02)
    assert pace_after(name, 10.0, joint_force=50.0) > 0.9
    assert pace_after(name, 60.0) > 0.9


@pytest.mark.parametrize("name", GAITS)
@pytest.mark.parametrize("limit", ["link_speed", "head_speed"])
def test_a_fast_link_is_only_braked(name: str, limit: str) -> None:
    """Without drive the torque does not depend on its gain any more; below the limit it is that of
    a run without one.
    """

    def torque(joint_rate: float, kp: float, speed: float | None) -> np.ndarray:
        keys = {"controller.parameters.kp": kp, f"controller.parameters.{limit}": speed}
        at = prepare(changed(scenario_of(name), keys))
        frame, controller = plant_from_experiment(at).read(), build_controller(at)
        controller.step(frame)
        aside = frame.position + 0.3
        turning = np.full(aside.size, joint_rate)
        stamp_ns = frame.stamp_ns + round(at.control_period * 1e9)
        # without gyroscopes, which would tell that nothing turns
        later = frame._replace(position=aside, velocity=turning, stamp_ns=stamp_ns, imu=None)
        return controller.step(later).torque

    slow, fast = 1e-3, 4.0  # rad/s
    np.testing.assert_array_equal(torque(slow, 20.0, 0.5), torque(slow, 20.0, None))
    np.testing.assert_allclose(torque(fast, 5.0, 0.1), torque(fast, 50.0, 0.1), atol=1e-12)
    assert np.abs(torque(fast, 5.0, None) - torque(fast, 50.0, None)).max() > 0.1


def test_speed_is_watched_in_the_plane_only() -> None:
    lifted = changed(load_scenario("cobra_vertical"), {"controller.parameters.link_speed": 0.1})
    with pytest.raises(BoaError, match="joint_pd with link_speed or head_speed works in the plane"):
        build_controller(prepare(lifted))


def test_joint_forces_slow_a_robot_that_leaves_the_plane_as_well() -> None:
    at = prepare(
        changed(load_scenario("cobra_vertical"), {"controller.parameters.joint_force": 40.0})
    )
    controller = build_controller(at)
    joints, period_ns = at.robot.joints, round(at.control_period * 1e9)
    still, force = np.zeros(joints), np.full((joints, 3), 50.0)
    for tick in range(round(2.0 / at.control_period)):
        stamp = tick * period_ns
        sample = ForceSample(stamp, force)
        frame = SensorFrame(stamp, still, still, still, sample, None, still, still)
        output = controller.step(frame)
    assert output.debug["pace"] == pytest.approx(SLOWEST, abs=0.02)
