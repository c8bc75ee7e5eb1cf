# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Reading a running robot through its topics, unnoticed by it."""

from __future__ import annotations

import numpy as np
import pytest

from boa_description.load import load_robot
from test.ros.conftest import PERIOD_NS

pytestmark = [pytest.mark.ros, pytest.mark.realtime]

TICKS = 60


def watched(world, watch) -> None:
    """The plant's topics are connected."""
    world.wait_for(lambda: all(item.get_publisher_count() for item in watch.node.subscriptions))


def test_it_sees_what_the_plant_measures_and_says(world, closed_loop, simulation, robot) -> None:
    from boa_tools.nodes.watch import Watch

    plant = closed_loop(duration=TICKS * 0.002)
    watch = world.add(Watch(robot, lambda _: False))
    watched(world, watch)
    assert world.run(plant) == 0
    last_ns = simulation.stamp_ns - PERIOD_NS

    def over() -> bool:
        seen, gate = watch.seen, watch.seen.diagnoses.get("gate")
        ended = gate is not None and gate.values["state"] == "inactive"
        return ended and seen.frame is not None and seen.frame.stamp_ns == last_ns

    world.wait_for(over, "end of the run")
    seen = watch.seen
    assert seen.wrong == ""
    assert seen.frame is not None and seen.frame.imu is not None
    last = simulation.position - 0.002 * simulation.velocity  # measured before the last step
    np.testing.assert_allclose(seen.frame.position, last)
    assert seen.diagnoses["joints"].text == "all joints answer"
    assert seen.faults == ""
    assert len(simulation.written) == TICKS  # every tick of the run, none held up or refused
    assert np.abs(simulation.written).max() > 0


def test_it_publishes_nothing_of_the_robots(world, robot) -> None:
    from boa_control.messages.topics import TOPICS
    from boa_tools.nodes.watch import Watch

    watch = world.add(Watch(robot, lambda _: False))
    own = {publisher.topic_name for publisher in watch.node.publishers}
    assert own.isdisjoint(topic.name for topic in TOPICS)


def test_a_robot_of_another_size_is_told(world, closed_loop) -> None:
    from boa_tools.nodes.watch import Watch

    plant = closed_loop(duration=TICKS * 0.002)
    watch = world.add(Watch(load_robot("boa13"), lambda _: False))
    watched(world, watch)
    assert world.run(plant) == 0
    world.wait_for(lambda: "is it a boa13? (--robot)" in watch.seen.wrong)


def test_without_a_robot_it_ends(world, robot, monkeypatch) -> None:
    from boa_tools.nodes import watch

    monkeypatch.setattr(watch, "DISCOVERY", 0.2)
    assert world.run(world.add(watch.Watch(robot, lambda _: False))) == 1
