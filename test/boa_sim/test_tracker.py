# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulated tracker, alone and in the plant; its samples in messages, bags and replays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from boa_control.experiments.build import build_controller
from boa_control.experiments.experiment import Experiment, prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import PlantSettings
from boa_control.messages.cdr import MessageError, header, message, serialize
from boa_control.messages.tracker import TrackerCodec, TrackerSample
from boa_description.chain import joint_axes
from boa_description.errors import BoaError
from boa_sim.factory import plant_from_experiment
from boa_tools.bags.ticks import bag_sink, bag_ticks, read_run
from boa_tools.runs.drive import drive
from boa_tools.runs.replay import replay


def experiment(duration: float = 0.5, **tracker: object) -> Experiment:
    scenario = load_scenario("wang_free")
    effects = {"sensor_rate": True, "sensor_latency": True, "tracker_noise": True}
    plant = PlantSettings.model_validate({"effects": effects, "tracker": tracker})
    return prepare(scenario.model_copy(update={"plant": plant, "duration": duration}))


def samples(at: Experiment, seed: int = 0) -> list[TrackerSample]:
    """New samples of all ticks, with the time at which each arrived in `arrived`."""
    plant = plant_from_experiment(at, seed)
    found: dict[int, TrackerSample] = {}
    for _ in range(round(at.scenario.duration / at.control_period)):
        sample = plant.read().sample("tracker")
        if isinstance(sample, TrackerSample):
            found.setdefault(sample.stamp_ns, sample)
            assert (
                sample.stamp_ns + round(at.scenario.plant.tracker.latency * 1e9) <= plant.now_ns()
            )
        plant.write(np.zeros(at.robot.joints))
    return list(found.values())


def test_rate_latency_and_noise_are_those_of_the_settings() -> None:
    at = experiment(2.0, link="link_10", rate=100.0, noise=0.01, heading_noise=0.02, latency=0.05)
    taken = samples(at)
    assert len(taken) == pytest.approx(195, abs=2)
    true = joint_axes(at.robot.link.pitch, at.start_base, at.start_joints)[9]
    errors = np.array([sample.position[:2] - true for sample in taken])
    assert errors.std() == pytest.approx(0.01, rel=0.1)
    turns = np.array([2 * np.arcsin(sample.orientation[2]) for sample in taken])
    assert turns.std() == pytest.approx(0.02, rel=0.2)
    again = samples(at)
    assert np.array_equal(taken[7].position, again[7].position), "the same seed, the same bits"
    assert not np.array_equal(taken[7].position, samples(at, seed=1)[7].position)


def test_a_lost_link_is_nan_and_comes_back() -> None:
    seen = [s.seen for s in samples(experiment(0.5, rate=100.0, lost=[[0.1, 0.3]]))]
    assert seen == 10 * [True] + 20 * [False] + 20 * [True]


def test_a_loss_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(ValueError, match=r"lost: \[0.3, 0.1\] ends before it has begun"):
        experiment(lost=[[0.3, 0.1]])


def test_other_robots_links_are_refused() -> None:
    with pytest.raises(BoaError, match=r"plant.tracker.link: .* no 'link_11'; .* to link_10"):
        plant_from_experiment(experiment(link="link_11"))


def test_without_a_tracker_there_are_no_samples() -> None:
    scenario = load_scenario("boa_circle").model_copy(update={"duration": 0.01})
    assert plant_from_experiment(prepare(scenario)).read().sample("tracker") is None


def test_poses_in_another_frame_are_refused() -> None:
    pose = message(
        "geometry_msgs/msg/Pose",
        position=message("geometry_msgs/msg/Point", x=1.0, y=2.0, z=0.0),
        orientation=message("geometry_msgs/msg/Quaternion", x=0.0, y=0.0, z=0.0, w=1.0),
    )

    def sent(frame: str) -> bytes:
        kind = "geometry_msgs/msg/PoseStamped"
        return serialize(message(kind, header=header(7, frame), pose=pose))

    assert TrackerCodec().decode(sent("world")).position == pytest.approx([1, 2, 0])
    with pytest.raises(MessageError, match="frame 'camera'; send it in world"):
        TrackerCodec().decode(sent("camera"))


def test_samples_are_in_log_and_bag_and_a_replay_repeats_the_torques(tmp_path: Path) -> None:
    at = experiment(0.6, rate=50.0, noise=0.01, latency=0.02, lost=[[0.2, 0.3]])
    with bag_sink(tmp_path / "bag", at) as sinks:
        log = drive(at, plant_from_experiment(at), build_controller(at), sinks=sinks).log
    ours, theirs = log.sensors["tracker"], read_run(tmp_path / "bag", at).sensors["tracker"]
    assert len(ours.tick) == 29 and np.isnan(ours["position"][:, 0]).sum() == 5
    assert ours.tick.tolist() == theirs.tick.tolist()
    assert ours.stamp_ns.tolist() == theirs.stamp_ns.tolist()
    np.testing.assert_array_equal(ours["position"], theirs["position"])
    np.testing.assert_array_equal(ours["orientation"], theirs["orientation"])
    compared = replay(bag_ticks(tmp_path / "bag", at), build_controller(at))
    assert compared.compared == log.ticks and compared.first is None


NO_ROTATION = np.full(4, np.nan)


def test_a_place_without_a_rotation_is_refused():
    """Who leaves the quaternion of a ROS message as it is made sends zeros."""
    for given in (
        TrackerSample(0, np.ones(3), np.zeros(4)),
        TrackerSample(0, np.ones(3), NO_ROTATION),
    ):
        (raw,) = TrackerCodec().encode(given)
        with pytest.raises(MessageError, match="quaternion has length"):
            TrackerCodec().decode(raw)
    (raw,) = TrackerCodec().encode(TrackerSample(0, NO_ROTATION[:3], NO_ROTATION))
    assert not TrackerCodec().decode(raw).seen
