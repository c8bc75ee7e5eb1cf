# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A run written to a bag and read back is the same run."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from run_fakes import RailPlant, Steady, path_experiment

from boa_control.controllers.set_points import SetPointChange
from boa_control.controllers.steered import SteeredController
from boa_control.events import Event, EventKind
from boa_control.messages.cdr import stamp_of
from boa_control.messages.topics import CONTACTS, EVENT_STATUS, SIM_CONTACTS
from boa_control.messages.tracker import TrackerSample
from boa_control.plant import ContactTruth
from boa_description.quaternion import yaw_quaternion
from boa_tools.bags import ticks
from boa_tools.bags.rosbag import BagWriter, bag_summary
from boa_tools.bags.ticks import BagSink, read_run, written_topics
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metric_table import metrics
from boa_tools.runs.drive import drive
from test.steerable import Cruise


class Touching(RailPlant):
    """One post presses on link 2 of the robot with a force that varies; a tracker sees link 1 and
    loses it now and then.
    """

    def read(self):
        frame = super().read()
        stamp = frame.joint_force.stamp_ns
        x, y, heading = self.truth().base
        pose = np.array([x, y, 0.02, *yaw_quaternion(heading)])
        if stamp % 7 == 0:
            pose[:] = np.nan
        return frame._replace(further={"tracker": TrackerSample(stamp, pose[:3], pose[3:])})

    def contacts(self):
        force = 5.0 + np.sin(self.tick)
        return (ContactTruth.planar(1, 2, np.array([1.0, 0.2]), np.array([0.6, 0.8]), force, 0.25),)


class Telling(Cruise):
    """Gains a contact in the first tick."""

    def step(self, frame):
        output = super().step(frame)
        gained = Event(kind=EventKind.CONTACT_GAINED, post=2, link=2)
        return output._replace(events=(gained,) if frame.stamp_ns == 0 else ())


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    experiment = path_experiment(duration=1.4)
    bag = tmp_path_factory.mktemp("run") / "bag"
    with BagWriter(bag, written_topics(), scenario="name: x\n") as writer:
        sink = BagSink(writer, experiment)
        log = drive(
            experiment, Touching(experiment), Steady(np.linspace(-1, 1, 12)), sinks=[sink]
        ).log
    return experiment, log, bag, read_run(bag, experiment)


def test_measured_commanded_and_applied_are_bit_identical(run):
    _, log, _, back = run
    for name in (
        "stamp_ns",
        "position",
        "velocity",
        "effort",
        "commanded",
        "applied",
        "control_step_us",
        "wall_s",
    ):
        assert np.array_equal(getattr(log, name), getattr(back, name)), name


@pytest.mark.parametrize("sensor", ["joint_force", "imu", "tracker"])
def test_samples_are_equal_to_rounding(run, sensor):
    _, log, _, back = run
    ours, theirs = log.sensors[sensor], back.sensors[sensor]
    np.testing.assert_array_equal(theirs.tick, ours.tick)
    np.testing.assert_array_equal(theirs.stamp_ns, ours.stamp_ns)
    assert ours.tick.size and list(theirs.columns) == list(ours.columns)
    for column in ours.columns:
        np.testing.assert_allclose(theirs[column], ours[column], rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("table", ["contacts", "true_contacts", "truth"])
def test_tables_are_equal_to_rounding(run, table):
    _, log, _, back = run
    ours, theirs = getattr(log, table), getattr(back, table)
    for column in fields(ours):
        mine, read = getattr(ours, column.name), getattr(theirs, column.name)
        assert (mine is None) == (read is None)
        if mine is not None:  # a planar robot has no pose in space
            np.testing.assert_allclose(read, mine, rtol=1e-14, atol=1e-14)


def test_debug_and_events_come_back(run):
    _, log, _, back = run
    assert np.array_equal(back.debug["progress_m"], log.debug["progress_m"])
    assert np.array_equal(back.debug["friction_nm"], log.debug["friction_nm"])
    assert back.events == log.events and back.trips == log.trips


def test_a_bag_with_sentences_only_gives_the_same_set_points(tmp_path, monkeypatch):
    """As versions without typed events wrote it; what nothing is repeated by becomes a note."""
    experiment = path_experiment(duration=0.1)
    changes = (SetPointChange(time=0.02, speed=-0.1), SetPointChange(time=0.04, force=1 / 3))
    bag = tmp_path / "bag"
    with BagWriter(bag, written_topics(), scenario="name: x\n") as writer:
        telling = Telling()
        telling.joints = experiment.robot.joints
        controller = SteeredController(telling, experiment.robot.joint_names, changes)
        plant = RailPlant(experiment)
        log = drive(experiment, plant, controller, sinks=[BagSink(writer, experiment)]).log
    assert len(log.events) == 3
    assert read_run(bag, experiment).events == log.events
    messages = ticks.bag_messages

    def of_old(path, topics):
        return (one for one in messages(path, topics) if one.topic != EVENT_STATUS.name)

    monkeypatch.setattr(ticks, "bag_messages", of_old)
    back = read_run(bag, experiment).events
    assert back[1:] == log.events[1:]
    assert [one.text for one in back] == [one.text for one in log.events]
    assert back[0].event.kind is EventKind.NOTE


def test_metrics_from_the_bag_are_those_from_the_process(run):
    experiment, log, _, back = run
    ours, theirs = metrics(Analysis(log, experiment)), metrics(Analysis(back, experiment))
    assert list(ours) == list(theirs)
    for key, value in (ours | ours["extra"]).items():
        if isinstance(value, float):
            assert (theirs | theirs["extra"])[key] == pytest.approx(value, rel=1e-9, abs=1e-12), key
        elif key != "extra":
            assert (theirs | theirs["extra"])[key] == value, key
    assert ours["force_reference_n"] == 5.0


@pytest.mark.parametrize(("first", "gap", "left"), [(697, 3, 697), (300, 40, 700), (0, 700, 700)])
def test_ticks_that_a_killed_plant_has_not_finished_are_left_out(
    run, tmp_path, monkeypatch, first, gap, left
):
    """Truth that is missing at the end, in between, and everywhere."""
    experiment, log, bag, _ = run
    assert log.ticks == 700
    lacking = set(log.stamp_ns[first : first + gap].tolist())
    messages = ticks.bag_messages

    def torn(path, topics):
        for message in messages(path, topics):
            if message.topic != SIM_CONTACTS.name or stamp_of(message.raw) not in lacking:
                yield message

    monkeypatch.setattr(ticks, "bag_messages", torn)
    back = read_run(bag, experiment)
    assert back.ticks == left
    np.testing.assert_array_equal(back.commanded, log.commanded[:left])
    if first:
        known = np.isfinite(back.truth.base).all(axis=1)
        assert known.sum() == 700 - gap and known[-1]


def test_a_tick_that_lost_its_contacts_on_the_way_is_the_only_one_without(
    run, tmp_path, monkeypatch
):
    experiment, log, bag, _ = run
    messages = ticks.bag_messages
    lost = int(log.stamp_ns[300])

    def lossy(path, topics):
        for message in messages(path, topics):
            if message.topic != CONTACTS.name or stamp_of(message.raw) != lost:
                yield message

    monkeypatch.setattr(ticks, "bag_messages", lossy)
    back = read_run(bag, experiment)
    assert log.contacts.tick.size and (back.contacts.tick != 300).all()
    np.testing.assert_array_equal(back.contacts.tick, log.contacts.tick[log.contacts.tick != 300])
    np.testing.assert_array_equal(back.true_contacts.tick, log.true_contacts.tick)


def test_the_bag_says_what_is_in_it(run):
    _, log, bag, _ = run
    summary = bag_summary(bag)
    counts = {topic.name: topic.count for topic in summary.topics}
    assert counts["/boa/joint_states"] == counts["/clock"] == log.ticks
    assert counts["/boa/imus"] == log.sensors["imu"].tick.size
    assert summary.scenario == "name: x\n"
    assert summary.duration_s == pytest.approx(log.time[-1], abs=1e-6)
