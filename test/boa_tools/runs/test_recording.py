# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Filling a run log: columns that grow without end, parts that come and go, contacts in blocks."""

from __future__ import annotations

import resource
import tempfile

import numpy as np
import pytest

from boa_control.controller import ContactEstimate, ControlOutput
from boa_control.events import Event, EventKind
from boa_control.plant import ContactTruth, ForceSample, PlanarTruth, SensorFrame
from boa_description.arrays import Array
from boa_description.load import load_robot
from boa_tools.runs import block
from boa_tools.runs.block import BLOCK, Column, Gathering
from boa_tools.runs.loop import Tick
from boa_tools.runs.recording import Recording
from boa_tools.runs.runlog import RunLog

ROBOT = load_robot("boa13", links=4)


def tick(k: int, debug: dict[str, float | Array], contacts: int = 0, truth: bool = True) -> Tick:
    """Tick k, whose numbers all begin with k."""
    joint = np.full(ROBOT.joints, float(k))
    up = np.array([0.0, 1.0, 0.0])
    touching = [ContactTruth(i, 7, k * up, up, k + 0.5, 0 * up) for i in range(contacts)]
    believed = [ContactEstimate(None if i else 3, i, 0.1, -1, k + 0.25) for i in range(contacts)]
    force = ForceSample(10 * (k // 2), np.full((ROBOT.joints, 3), k))
    frame = SensorFrame(k, joint, joint + 0.1, joint + 0.2, force, None, joint, joint)
    true = PlanarTruth(k, joint[:3], joint[:3], joint + 0.3, joint, touching)
    output = ControlOutput(joint + 0.4, believed, debug=debug)
    return Tick(frame, output, joint + 0.5, true if truth else None)


def recorded(*ticks: Tick) -> RunLog:
    """The log of these ticks."""
    recording = Recording(ROBOT)
    gathering = Gathering([recording])
    for one in ticks:
        gathering.add(one)
    gathering.flush()
    return recording.log()


@pytest.mark.parametrize("memory", [0, block.MEMORY])
def test_a_column_keeps_its_rows_in_memory_and_on_disk(
    memory: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(block, "MEMORY", memory)
    column, stamps = Column((2,), np.float64), Column((), np.int64)
    assert column.array().shape == (0, 2)
    rows = np.arange(12.0).reshape(6, 2)
    column.append(rows[:4])
    column.pad(5)
    column.append(rows[4:])
    stamps.append([2**62, 2**62 + 1])
    assert len(column) == 7
    for _ in range(2):  # reading twice is no different
        assert np.array_equal(column.array()[[0, 1, 2, 3, 5, 6]], rows)
        assert np.isnan(column.array()[4]).all()
        assert stamps.array().tolist() == [2**62, 2**62 + 1]
    column.append(rows)
    assert len(column.array()) == 13, "it goes on after it has been read"


def test_a_full_disk_is_named_with_the_remedy() -> None:
    """The kernel refuses to let a file grow beyond 100 kB, here by a limit of the process."""
    column = Column((), np.float64)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(OSError, match="set TMPDIR") as refusal:
            for _ in range(10):
                column.append(np.zeros(10_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert refusal.value.filename == tempfile.gettempdir()


def test_rows_of_a_column_are_copies() -> None:
    column, rows = Column((2,), np.float64), np.ones((3, 2))
    column.append(rows)
    rows[:] = 5.0
    assert (column.array() == 1.0).all()


def test_debug_values_that_come_and_go_are_nan_elsewhere() -> None:
    log = recorded(
        tick(0, {"a": 1.0}),
        tick(1, {"a": 2.0, "b": np.array([3.0, 4.0])}),
        tick(2, {}),
        tick(3, {"b": np.array([5.0, 6.0]), "a": 7.0}),
    )
    assert np.array_equal(log.debug["a"], [1.0, 2.0, np.nan, 7.0], equal_nan=True)
    nothing = [np.nan, np.nan]
    assert np.array_equal(log.debug["b"], [nothing, [3, 4], nothing, [5, 6]], equal_nan=True)
    assert log.position[:, 0].tolist() == [0.0, 1.0, 2.0, 3.0]


def test_many_ticks_come_back_as_they_were() -> None:
    """More than two blocks, with contacts at every third tick and a new force at every second."""
    count = 2 * BLOCK + 7
    log = recorded(
        *(tick(k, {"a": k + 0.6}, contacts=2 * (k % 3 == 0)) for k in range(count)),
    )
    ticks = np.arange(count)
    assert np.array_equal(log.stamp_ns, ticks)
    for values, offset in (
        (log.velocity[:, 1], 0.1),
        (log.effort[:, 1], 0.2),
        (log.commanded[:, 1], 0.4),
        (log.applied[:, 1], 0.5),
        (log.debug["a"], 0.6),
    ):
        assert np.array_equal(values, ticks + offset)
    assert log.truth is not None and log.true_contacts is not None
    assert np.array_equal(log.truth.joint_position[:, 2], ticks + 0.3)
    assert np.array_equal(log.truth.base[:, 0], ticks)
    third = ticks[::3].repeat(2)
    for contacts in (log.contacts, log.true_contacts):
        assert np.array_equal(contacts.tick, third)
        assert np.array_equal(contacts.link, np.tile([0, 1], third.size // 2))
    assert np.array_equal(log.contacts.obstacle, np.tile([3, -1], third.size // 2))
    assert np.array_equal(log.contacts.force, third + 0.25)
    assert np.array_equal(log.true_contacts.normal_force, third + 0.5)
    assert np.array_equal(log.true_contacts.point[:, 1], third)
    forces = log.sensors["joint_force"]
    assert np.array_equal(forces.tick, ticks[::2]) and np.array_equal(
        forces.stamp_ns, 5 * ticks[::2]
    )
    assert np.array_equal(forces["force"][:, 2, 1], ticks[::2])


def test_a_robot_has_no_truth() -> None:
    log = recorded(tick(0, {}, contacts=1, truth=False))
    assert log.truth is None and log.true_contacts is None
    assert log.contacts.force.tolist() == [0.25]


def test_events_come_back_in_order_also_those_that_say_the_same() -> None:
    gain, lose = (
        Event(kind=kind, post=1, link=2)
        for kind in (EventKind.CONTACT_GAINED, EventKind.CONTACT_LOST)
    )
    told = [(gain, lose), (), (lose,), (lose, gain)]
    log = recorded(
        *(
            one._replace(output=one.output._replace(events=events))
            for one, events in ((tick(k, {}), events) for k, events in enumerate(told))
        )
    )
    assert [(one.stamp_ns, one.event) for one in log.events] == [
        (k, event) for k, events in enumerate(told) for event in events
    ]
