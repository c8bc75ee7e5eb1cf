# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Ticks are put together from messages in any block size and from messages that overtake others."""

from __future__ import annotations

import numpy as np
import pytest
from run_fakes import RailPlant, Steady, path_experiment

from boa_control.messages.topics import CONTACTS, EVENTS, JOINT_STATES, SIM_CONTACTS, TORQUE_COMMAND
from boa_description.errors import BoaError
from boa_tools.bags import assembly
from boa_tools.bags.assembly import ANSWERS, TRUTH, Assembler, measured_topics
from boa_tools.bags.rosbag import BagWriter, Message, bag_messages
from boa_tools.bags.ticks import BagSink, written_topics
from boa_tools.runs.drive import drive
from boa_tools.runs.loop import Tick

TICKS = 60


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    experiment = path_experiment(duration=0.002 * TICKS)
    path = tmp_path_factory.mktemp("run") / "bag"
    with BagWriter(path, written_topics()) as bag:
        drive(
            experiment,
            RailPlant(experiment),
            Steady(np.linspace(-1, 1, 12)),
            sinks=[BagSink(bag, experiment)],
        )
    topics = (*measured_topics(), *ANSWERS, EVENTS, *TRUTH)
    messages = list(bag_messages(path, topics))
    return experiment, messages, words(ticks_of(experiment, messages))


def ticks_of(experiment, messages: list[Message]) -> list[Tick]:
    return list(Assembler(experiment).ticks(messages))


def words(ticks: list[Tick]) -> list[str]:
    """The ticks with every number whole; contacts are read when they are shown."""
    with np.printoptions(floatmode="unique", threshold=10_000):
        return [
            repr(tick) + repr([] if tick.truth is None else list(tick.truth.contacts))
            for tick in (
                tick
                if tick.truth is None
                else tick._replace(truth=tick.truth.with_contacts(tuple(tick.truth.contacts)))
                for tick in ticks
            )
        ]


@pytest.mark.parametrize(("block", "patience"), [(1, 1), (7, 3), (256, 500)])
def test_blocks_of_any_size_give_the_same_ticks(run, monkeypatch, block, patience) -> None:
    experiment, messages, expected = run
    monkeypatch.setattr(assembly, "BLOCK", block)
    monkeypatch.setattr(assembly, "PATIENCE", patience)
    assert len(expected) == TICKS and words(ticks_of(experiment, messages)) == expected


def test_answers_may_come_before_their_joint_states_and_long_after_them(run) -> None:
    experiment, messages, expected = run
    late = {topic.name for topic in (*ANSWERS, *TRUTH)}
    answers = [m for m in messages if m.topic in late]
    others = [m for m in messages if m.topic not in late]
    first = next(k for k, m in enumerate(others) if m.topic == JOINT_STATES.name) + 1
    assert words(ticks_of(experiment, others + answers)) == expected
    for here in (0, first):  # before the first joint states, too
        early = ticks_of(experiment, others[:here] + answers + others[here:])
        assert words(early) == expected


def test_what_is_missing_is_nan_or_none_at_its_tick_alone(run) -> None:
    experiment, messages, whole = run
    seen: dict[str, int] = {}

    def kept(message: Message) -> bool:
        seen[message.topic] = seen.get(message.topic, -1) + 1
        lost = {TORQUE_COMMAND.name: 5, SIM_CONTACTS.name: 6, CONTACTS.name: 7}
        return seen[message.topic] != lost.get(message.topic)

    ticks = ticks_of(experiment, [message for message in messages if kept(message)])
    assert len(ticks) == TICKS
    assert np.isnan(ticks[5].output.torque).all() and ticks[6].truth is None
    assert not ticks[7].output.debug and np.isnan(ticks[7].control_step_us)
    assert words(ticks[8:]) == whole[8:] and words(ticks[:5]) == whole[:5]


def test_time_that_goes_back_is_refused(run) -> None:
    experiment, messages, _ = run
    joints = [message for message in messages if message.topic == JOINT_STATES.name]
    with pytest.raises(BoaError, match="time goes back"):
        ticks_of(experiment, [joints[1], joints[0]])
