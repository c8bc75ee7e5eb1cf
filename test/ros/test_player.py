# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""boa bag play: what it publishes commands no plant."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.messages.topics import TORQUE_COMMAND
from boa_description.errors import BoaError
from boa_tools.bags.ticks import bag_sink
from boa_tools.runs.drive import run_experiment

pytestmark = [pytest.mark.ros, pytest.mark.realtime]


@pytest.fixture
def bag(tmp_path: Path) -> Path:
    scenario = load_scenario("thesis_5_1_1").model_copy(update={"duration": 0.05})
    experiment = prepare(scenario)
    with bag_sink(tmp_path / "bag", experiment) as sinks:
        run_experiment(experiment, seed=0, sinks=sinks)
    return tmp_path / "bag"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes of one process know each other at once."""
    monkeypatch.setattr("boa_tools.nodes.player.DISCOVERY", 0.0)


def test_it_refuses_to_play_beside_a_plant(world, closed_loop, simulation, bag) -> None:
    from boa_tools.nodes.player import Player

    closed_loop()
    with pytest.raises(BoaError, match=r"a plant is publishing /boa/joint_states already; stop it"):
        world.run(world.add(Player(bag, 1.0)))
    assert not np.any(simulation.written)


def test_its_torques_go_where_no_plant_listens(world, bag, capsys) -> None:
    from boa_tools.nodes.player import Player

    player = world.add(Player(bag, 1.0))
    assert world.run(player) == 0
    assert "played 0 messages" not in capsys.readouterr().out
    topics = {endpoint.topic_name for endpoint in player._publishers.values()}
    assert "/boa/played/torque_command" in topics
    assert TORQUE_COMMAND.name not in topics
