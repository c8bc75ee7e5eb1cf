# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Messages of many ticks made together have the bytes of those made one by one, and read together
they give the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.controller import ControlOutput, estimate_columns
from boa_control.events import Event, EventKind
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.messages.cdr import MessageError
from boa_control.messages.control import ControlDecoder, ControlEncoder
from boa_control.messages.control_records import ControlRecords
from boa_control.messages.message_columns import by_ticks, contact_runs
from boa_control.messages.sensors import SensorDecoder, SensorEncoder
from boa_control.messages.topics import CONTACTS, DEBUG, JOINT_STATES
from boa_control.messages.truth import TruthCodec
from boa_control.plant import ContactTruth, truth_columns
from boa_description.robot import Robot
from boa_tools.runs.block import TickBlock
from boa_tools.runs.drive import run_experiment
from boa_tools.runs.loop import Tick


class Ticks(list[Tick]):
    """Keeps the ticks of a run."""

    def add(self, block: TickBlock) -> None:
        self.extend(block.ticks)


@pytest.fixture(scope="module", params=["boa_datasheet", "thesis_5_1_1", "wall_grinding"])
def run(request: pytest.FixtureRequest) -> tuple[Robot, list[Tick]]:
    """Runs whose true contacts come and go; sensors with rates and delays, and a controller
    that does not use the map.
    """
    scenario = load_scenario(request.param).model_copy(update={"duration": 0.8, "distance": None})
    ticks = Ticks()
    experiment = prepare(scenario)
    run_experiment(experiment, sinks=[ticks])
    assert len({tuple(c.link for c in tick.truth.contacts) for tick in ticks if tick.truth}) > 1
    return experiment.robot, ticks


def test_of_the_sensors(run: tuple[Robot, list[Tick]]) -> None:
    robot, ticks = run
    one_by_one, together = SensorEncoder(robot), SensorEncoder(robot)
    frames = [tick.frame for tick in ticks]
    # a sample may be older than its block, and a short block may have no new one
    blocks = [*([frame] for frame in frames[:20]), frames[20:100], frames[100:]]
    made = [by_ticks(together.encode_many(block), len(block)) for block in blocks]
    assert list(chain.from_iterable(made)) == [one_by_one.encode(frame) for frame in frames]


def test_of_the_truth(run: tuple[Robot, list[Tick]]) -> None:
    robot, ticks = run
    truths = [tick.truth for tick in ticks if tick.truth is not None]
    codec, columns = TruthCodec(robot), truth_columns([truth.contacts for truth in truths])
    made = by_ticks(codec.encode_many(truths, columns), len(truths))
    assert made == [codec.encode(truth) for truth in truths]
    assert codec.encode_many([], columns) == []


def test_of_the_controller(run: tuple[Robot, list[Tick]]) -> None:
    robot, ticks = run
    outputs = [tick.output for tick in ticks]
    outputs[3] = outputs[3]._replace(
        events=(Event(kind=EventKind.WALL_LOST), Event(kind=EventKind.NOTE, note="b")), ready=False
    )
    stamps = [tick.frame.stamp_ns for tick in ticks]
    spent = np.linspace(100, 200, len(ticks))
    one_by_one, together = ControlEncoder(robot), ControlEncoder(robot)
    columns = estimate_columns([output.contacts for output in outputs])
    # the first ticks may have other debug values
    same = next(k for k, one in enumerate(outputs) if list(one.debug) == list(outputs[-1].debug))
    assert same < 100
    debug = TickBlock(ticks[same:]).debug
    tail: list[ControlOutput] = outputs[same:]
    if same:
        columns = estimate_columns([output.contacts for output in tail])
    made = together.encode_many(stamps[same:], tail, debug, columns, spent[same:])
    assert by_ticks(made, len(tail)) == [
        one_by_one.encode(stamp, output, float(us))
        for stamp, output, us in zip(stamps[same:], tail, spent[same:], strict=True)
    ]


def same(one: object, other: object) -> bool:
    """Whether two records hold the same bits, in arrays, too."""
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and one.tobytes() == other.tobytes()
    if isinstance(one, dict):
        return isinstance(other, dict) and same(list(one.items()), list(other.items()))
    if isinstance(one, Sequence) and not isinstance(one, str):
        return isinstance(other, Sequence) and all(map(same, one, other)) and len(one) == len(other)
    if isinstance(one, ContactTruth):
        return all(same(getattr(one, name), getattr(other, name)) for name in one.__slots__)
    return repr(one) == repr(other)  # NaN is not equal to itself


def test_frames_read_together(run: tuple[Robot, list[Tick]]) -> None:
    robot, ticks = run
    frames_sent = [tick.frame for tick in ticks]
    sent = by_ticks(SensorEncoder(robot).encode_many(frames_sent), len(ticks))
    one_by_one, together = SensorDecoder(robot), SensorDecoder(robot)
    frames = []
    for topic, raw in chain.from_iterable(sent):
        if topic is JOINT_STATES:
            frames.append(one_by_one.joint_states(raw))
        else:
            one_by_one.sample(topic.name, raw)
    read = []
    for part in (sent[:1], sent[1:100], sent[100:]):
        read += together.frames([(topic.name, raw) for topic, raw in chain.from_iterable(part)])
    assert same(frames, read)


def test_truth_read_together(run: tuple[Robot, list[Tick]]) -> None:
    robot, ticks = run
    codec = TruthCodec(robot)
    sent = [codec.encode(tick.truth) for tick in ticks if tick.truth is not None]
    raws = [[raw for _, raw in messages] for messages in sent]
    together = codec.decode_many(*zip(*raws, strict=True))
    assert same([codec.decode(*one) for one in raws], together)
    assert [tuple(c.link for c in truth.contacts) for truth in together] == [
        tuple(c.link for c in tick.truth.contacts) for tick in ticks if tick.truth is not None
    ]


def test_contacts_read_together_are_those_of_one_instant_where_they_are_alone(
    run: tuple[Robot, list[Tick]],
) -> None:
    robot, ticks = run
    codec = TruthCodec(robot)
    sent = [codec.encode(tick.truth) for tick in ticks if tick.truth is not None]
    together = codec.decode_many(*zip(*([raw for _, raw in one] for one in sent), strict=True))
    alone = [truth_columns([truth.contacts]) for truth in together]
    assert any(columns.link.size for columns in alone[1:])
    assert not any(columns.report.any() for columns in alone)


def test_truth_of_different_ticks_is_refused(run: tuple[Robot, list[Tick]]) -> None:
    robot, ticks = run
    codec = TruthCodec(robot)
    sent = [codec.encode(tick.truth) for tick in ticks[:2] if tick.truth is not None]
    odometry, joints, contacts = ([raw for _, raw in one] for one in zip(*sent, strict=True))
    with pytest.raises(MessageError, match="truth of different ticks"):
        codec.decode_many(odometry, joints, contacts[::-1])


def test_outputs_read_together(run: tuple[Robot, list[Tick]]) -> None:
    robot, ticks = run
    encoder = ControlEncoder(robot)
    sent = [dict(encoder.record(k, tick.output, 0.5 * k)) for k, tick in enumerate(ticks)]
    torques = [tick.output.torque for tick in ticks]
    contacts, debug = ([one[topic] for one in sent] for topic in (CONTACTS, DEBUG))
    alone = [
        ControlDecoder(robot).output(*given) for given in zip(torques, contacts, debug, strict=True)
    ]
    together = ControlDecoder(robot).outputs(torques, contacts, debug, [()] * len(ticks))
    assert same(alone, together)
    for (output, step_us), k in zip(together, range(len(ticks)), strict=True):
        ours = ticks[k].output
        assert step_us == 0.5 * k and output.ready == ours.ready
        assert output.debug.keys() == ours.debug.keys()
        assert [(c.link, c.established) for c in output.contacts] == [
            (c.link, c.established) for c in ours.contacts
        ]


@given(st.lists(st.lists(st.integers(0, 2), max_size=3)))
def test_runs_are_the_longest_with_the_same_contacts(contacts: list[list[int]]) -> None:
    tick = np.arange(len(contacts)).repeat([len(one) for one in contacts])
    key = np.array([link for one in contacts for link in one], dtype=int)
    runs = list(contact_runs(len(contacts), tick, (key,)))
    seen = [list(contacts[k]) for run in runs for k in range(run.ticks.start, run.ticks.stop)]
    assert seen == contacts
    for run in runs:
        assert all(one == contacts[run.ticks.start] for one in contacts[run.ticks])
        assert run.size == len(contacts[run.ticks.start])
        of_run = [link for one in contacts[run.ticks] for link in one]
        assert key[run.rows].tolist() == of_run
    for before, after in pairwise(runs):
        assert contacts[before.ticks.start] != contacts[after.ticks.start]


def test_of_a_node_that_gathers_them(run: tuple[Robot, list[Tick]]) -> None:
    """At 500 Hz eight ticks go out together, at 100 Hz two."""
    robot, ticks = run
    records, one_by_one = ControlRecords(ControlEncoder(robot), 0.002), ControlEncoder(robot)
    together, expected, sizes = [], [], []
    for k, tick in enumerate(ticks):
        output = tick.output._replace(debug={**tick.output.debug, "early": 1.0 * k})
        output = output if k < 13 else tick.output
        records.add(tick.frame.stamp_ns, output, 0.5 * k)
        expected += one_by_one.record(tick.frame.stamp_ns, output, 0.5 * k)
        if records.due:
            sizes.append(len(records))
            together += records.take()
            assert not len(records) and not records.due
    assert set(sizes) == {8} and together + records.take() == expected
    slow = ControlRecords(ControlEncoder(robot), 0.01)
    slow.add(0, ticks[0].output, 1.0)
    assert not slow.due
    slow.add(1, ticks[0].output, 1.0)
    assert slow.due
