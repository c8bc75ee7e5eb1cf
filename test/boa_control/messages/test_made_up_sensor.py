# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A sensor that is added to the table is recorded, bagged, read back and replayed; nothing else
changes. The sensor is made up: the pressure under every link.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from boa_control.controller import ControlOutput
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import PlantSettings
from boa_control.messages import sensors
from boa_control.messages.joints import JointStateCodec
from boa_control.messages.sample_codec import SampleCodec
from boa_control.messages.topics import JOINT_STATES, Topic
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_sim.factory import plant_from_experiment
from boa_sim.sensors import FURTHER
from boa_sim.world import World
from boa_tools.bags.order import BagOrder
from boa_tools.bags.rosbag import bag_summary
from boa_tools.bags.ticks import bag_sink, bag_ticks, read_run
from boa_tools.runs.drive import drive
from boa_tools.runs.replay import replay

EVERY = 5  # ticks


@dataclass(frozen=True, slots=True)
class PressureSample:
    """Pressure under every link, shape (n_links,), Pa."""

    stamp_ns: int
    pressure: Array


TOPIC = Topic("/boa/made_up", "sensor_msgs/msg/JointState", "plant", "pressure under links, Pa")


class PressureCodec(SampleCodec):
    """position[i] is the pressure under link i."""

    def __init__(self, robot: Robot) -> None:
        self._codec = JointStateCodec(robot.link_names, ("position",), TOPIC.name)

    def encode(self, sample: PressureSample) -> list[bytes]:
        return [self._codec.encode(sample.stamp_ns, position=sample.pressure)]

    def decode(self, raw: bytes) -> PressureSample:
        stamp, fields = self._codec.decode(raw)
        return PressureSample(stamp, fields["position"])

    def reset(self) -> None:
        pass


class SimulatedPressure:
    """Says when it was taken, and in which direction each link points."""

    def __init__(self, robot: Robot, settings: PlantSettings, seed: int) -> None:
        self.reset()

    def reset(self) -> None:
        self._sample: PressureSample | None = None
        self._count = 0

    def newest(self, world: World, now_ns: int) -> PressureSample | None:
        if self._count % EVERY == 2:
            self._sample = PressureSample(now_ns, 1e5 + world.heading)
        self._count += 1
        return self._sample


PRESSURE = sensors.Sensor(
    "made_up",
    PressureSample,
    TOPIC,
    PressureCodec,
    lambda robot: {"pressure": (robot.links,)},
)


class Wary:
    """A controller that pushes by the pressure under its joints."""

    def reset(self) -> None:
        pass

    def step(self, frame: SensorFrame) -> ControlOutput:
        sample = frame.sample("made_up")
        if not isinstance(sample, PressureSample):
            return ControlOutput(np.zeros(frame.position.size))
        return ControlOutput(0.01 * (sample.pressure[1:] - 1e5))


@pytest.fixture
def carried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sensors, "SENSORS", (*sensors.SENSORS, PRESSURE))
    monkeypatch.setitem(FURTHER, "made_up", SimulatedPressure)


@pytest.mark.usefixtures("carried")
def test_it_is_recorded_bagged_read_back_and_replayed(tmp_path: Path) -> None:
    scenario = load_scenario("boa_circle").model_copy(update={"duration": 0.1})
    experiment = prepare(scenario)
    with bag_sink(tmp_path / "bag", experiment) as sinks:
        log = drive(experiment, plant_from_experiment(experiment), Wary(), sinks=sinks).log
    ours = log.sensors["made_up"]
    assert ours.tick.tolist() == list(range(2, 50, EVERY))
    assert ours.stamp_ns.tolist() == log.stamp_ns[ours.tick].tolist()
    assert ours["pressure"].shape == (10, 13) and ours["pressure"].std() > 0.1

    counts = {topic.name: topic.count for topic in bag_summary(tmp_path / "bag").topics}
    assert counts[TOPIC.name] == 10
    theirs = read_run(tmp_path / "bag", experiment).sensors["made_up"]
    assert theirs.tick.tolist() == ours.tick.tolist()
    np.testing.assert_array_equal(theirs["pressure"], ours["pressure"])
    compared = replay(bag_ticks(tmp_path / "bag", experiment), Wary())
    assert compared.compared == 50 and compared.largest == 0.0
    assert np.abs(log.commanded[-1]).max() > 0


@pytest.mark.usefixtures("carried")
def test_nodes_publish_subscribe_record_and_play_what_the_table_says() -> None:
    assert TOPIC in sensors.sensor_topics() and sensors.sensor_topics()[-1] is JOINT_STATES
    assert TOPIC in sensors.recorded_topics()
    robot = prepare(load_scenario("boa_circle")).robot
    order = BagOrder()
    sample = PressureSample(0, np.zeros(13))
    (raw,) = PressureCodec(robot).encode(replace(sample, stamp_ns=7))
    assert order.take(TOPIC, raw) == [], "belongs to the joint states that follow it"


def test_without_it_a_frame_and_a_log_know_nothing_of_it() -> None:
    scenario = load_scenario("boa_circle").model_copy(update={"duration": 0.01})
    plant = plant_from_experiment(prepare(scenario))
    assert plant.read().sample("made_up") is None
