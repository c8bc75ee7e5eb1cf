# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which torque commands count."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.messages.cdr import MessageError
from boa_control.messages.control import TorqueCodec
from boa_control.messages.topics import TORQUE_COMMAND
from boa_control.ros.plant.inbox import CommandInbox
from boa_description.load import load_robot

ROBOT = load_robot("boa3")
CODEC = TorqueCodec(ROBOT, TORQUE_COMMAND)


def command(stamp: int, torque: float = 1.0) -> bytes:
    return CODEC.encode(stamp, effort=np.full(ROBOT.joints, torque))


def test_the_answer_is_found_by_its_stamp() -> None:
    inbox = CommandInbox(ROBOT)
    assert inbox.answer_to(4) is None
    inbox.take(command(4), frame_ns=4)
    assert inbox.answer_to(4) is inbox.newest and inbox.answer_to(6) is None


def test_the_future_is_refused_and_changes_nothing() -> None:
    inbox = CommandInbox(ROBOT)
    with pytest.raises(MessageError, match="none yet"):
        inbox.take(command(2), frame_ns=None)
    inbox.take(command(2), frame_ns=2)
    with pytest.raises(MessageError, match="later than the newest joint_states"):
        inbox.take(command(6), frame_ns=4)
    assert inbox.newest is not None and inbox.newest.stamp_ns == 2 and inbox.refused["future"] == 2


@pytest.mark.parametrize("frame_ns", [None, 0, 2])
def test_a_stamp_that_nobody_has_set_is_refused_from_the_first_tick_on(
    frame_ns: int | None,
) -> None:
    inbox = CommandInbox(ROBOT)
    with pytest.raises(MessageError, match=r"header\.stamp is 0, which is unset; .* it answers"):
        inbox.take(command(0), frame_ns)
    assert inbox.newest is None and inbox.refused == {"unset": 1}


def test_an_old_command_does_not_replace_a_newer_one() -> None:
    inbox = CommandInbox(ROBOT)
    inbox.take(command(4, 1.0), frame_ns=6)
    inbox.take(command(2, 9.0), frame_ns=6)
    assert (
        inbox.newest is not None
        and inbox.newest.torque[0] == 1.0
        and inbox.refused["overtaken"] == 1
    )


@given(st.binary(max_size=200))
def test_garbage_never_becomes_a_command(raw: bytes) -> None:
    inbox = CommandInbox(ROBOT)
    with pytest.raises(MessageError):
        inbox.take(raw, frame_ns=10)
    assert inbox.newest is None and inbox.refused["malformed"] == 1


def test_time_that_starts_again_forgets_the_command() -> None:
    inbox = CommandInbox(ROBOT)
    inbox.take(command(4), frame_ns=4)
    inbox.clear()
    inbox.take(command(2), frame_ns=2)
    assert inbox.answer_to(2) is not None
