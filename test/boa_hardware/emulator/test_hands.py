# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Hands at the emulated robot, and the way to them from another program."""

from __future__ import annotations

import json
import select
import threading

import numpy as np
import pytest

from boa_control.plant import PlantError
from boa_description.load import load_robot
from boa_hardware.emulator.body import EmulatedBody
from boa_hardware.emulator.hands_socket import HandsServer, RemoteHands
from boa_sim.engines.mujoco.world import MujocoWorld
from boa_sim.world import Physics


@pytest.fixture
def body() -> EmulatedBody:
    robot = load_robot("boa13")
    return EmulatedBody(MujocoWorld(robot, physics=Physics(coulomb=0.0)), robot)


def test_they_turn_the_whole_robot_without_bending_it(body: EmulatedBody) -> None:
    body.hands.turn(0.8, 1.0)
    body.run_to(2.0)
    assert body.world.heading == pytest.approx(np.full(13, 0.8), abs=0.02)


def test_a_shove_is_from_rest_to_rest(body: EmulatedBody) -> None:
    """1 m/s2 for 0.3 s and back to rest in as much: 0.09 m."""
    body.hands.shove(1.0, 0.0, 0.6)
    body.run_to(1.0)
    assert body.truth().position[0] == pytest.approx(0.09, abs=0.002)
    assert np.abs(body.truth().linear_velocity).max() < 0.01


def test_who_is_let_go_is_not_touched_any_more(body: EmulatedBody) -> None:
    body.hands.bend({3: 0.3}, 0.3)
    body.run_to(1.0)
    body.hands.release()
    body.run_to(1.1)
    body.drive(3, 0.1, 1.1)
    body.run_to(1.3)
    assert body.world.joint_position[3] > 0.35


def test_another_program_moves_them_through_the_socket(body: EmulatedBody) -> None:
    server = HandsServer(body.hands)
    answered = threading.Thread(target=_serve, args=(server, 2))
    answered.start()
    hands = RemoteHands(server.path)
    hands.bend({4: 0.3}, 0.3)
    hands.hang(2, 10.0, 0.0)
    answered.join()
    body.run_to(1.0)
    assert body.world.joint_position[4] == pytest.approx(0.3, abs=0.01)
    assert body.hands.pull(2) == (10.0, 0.0)
    server.close()
    with pytest.raises(PlantError, match="is `boa emulate` running"):
        hands.release()


def test_a_message_that_is_none_is_answered_with_the_reason(body: EmulatedBody) -> None:
    server = HandsServer(body.hands)
    assert "unknown verb 'kick'" in server._done(json.dumps({"do": "kick"}).encode())
    assert "no message" in server._done(b"bend it")
    assert "no message" in server._done(json.dumps({"do": "turn", "by": 3}).encode())
    server.close()


def _serve(server: HandsServer, messages: int) -> None:
    for _ in range(messages):
        select.select([server.descriptor], [], [])
        server.turn()
