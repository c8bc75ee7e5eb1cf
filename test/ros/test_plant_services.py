# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The services of the plant node: arm and disarm, tare, pause and step, reset."""

from __future__ import annotations

import numpy as np
import pytest
from rclpy.node import Node
from std_srvs.srv import SetBool, Trigger

from boa_control.messages.cdr import stamp_of
from boa_control.messages.topics import EVENT_STATUS
from test.ros.conftest import PERIOD_NS, TICKS
from test.ros.listener import Listener

pytestmark = [pytest.mark.ros, pytest.mark.realtime]


def test_services_answer_and_say_why_not(world, closed_loop, simulation) -> None:
    plant = closed_loop(arm=False, duration=None)
    client = Node("client")
    world.executor.add_node(client)

    def call(kind, name: str, request):
        caller = client.create_client(kind, f"/boa/plant/{name}")
        world.wait_for(caller.service_is_ready)
        future = caller.call_async(request)
        while not future.done():
            plant._tick(world.spin, lambda: False)
        return future.result()

    plant._partners.wait_until_they_listen(world.spin, lambda: False)
    assert call(Trigger, "arm", Trigger.Request()).success
    assert plant._supervisor.status.armed
    refused = call(Trigger, "tare", Trigger.Request())
    assert not refused.success and "disarm first" in refused.message
    assert call(Trigger, "disarm", Trigger.Request()).success and not plant._supervisor.status.armed
    simulation.velocity[:] = 0.0
    assert call(Trigger, "tare", Trigger.Request()).message == "force sensors set to zero"

    simulation.faults = ("servo 3 (joint_03): overload",)
    plant._tick(world.spin, lambda: False)
    refused = call(Trigger, "arm", Trigger.Request())
    assert not refused.success and "overload" in refused.message
    assert call(Trigger, "reset_fault", Trigger.Request()).success
    assert call(Trigger, "arm", Trigger.Request()).success

    refused = call(Trigger, "step", Trigger.Request())
    assert not refused.success and "pause it first" in refused.message
    assert call(SetBool, "pause", SetBool.Request(data=True)).message == "paused"
    assert call(Trigger, "step", Trigger.Request()).message == "1 tick of 2 ms"
    assert call(Trigger, "reset", Trigger.Request()).success
    assert "reset" in simulation.calls and not plant._supervisor.status.armed
    world.executor.remove_node(client)
    client.destroy_node()


def test_paused_time_stands_still_and_steps_are_single(world, closed_loop, simulation) -> None:
    plant = closed_loop(duration=None)
    plant.pause(True)
    plant.step()
    plant.step()
    waited = 0

    def stands_still() -> bool:
        nonlocal waited
        waited += len(simulation.written) >= 2
        return waited > 20

    world.run(plant, stands_still)
    assert len(simulation.written) == 2


def test_steps_that_were_not_taken_are_forgotten_with_the_pause(closed_loop) -> None:
    plant = closed_loop(duration=TICKS * 0.002)
    plant.pause(True)
    plant.step()
    assert plant._steps > 0
    plant.pause(False)
    assert plant._steps == 0


def test_the_clock_goes_on_while_time_is_paused(world, closed_loop, monkeypatch) -> None:
    plant = closed_loop(duration=None)
    sent: list[int] = []
    monkeypatch.setattr(plant._topics, "clock", sent.append)

    def told_often() -> bool:
        if plant._frame is not None and not plant._paused:
            plant.pause(True)
        return len(sent) > 10

    world.run(plant, told_often)
    assert set(sent) == {plant._frame.stamp_ns}


def test_reset_starts_both_sides_anew(world, closed_loop, simulation, controller) -> None:
    plant = closed_loop(duration=TICKS * 0.002)
    step = controller.step
    done = []

    def step_and_reset(frame):
        if controller.ticks == 20 and not done:
            done.append(True)
            plant.reset()
        return step(frame)

    controller.step = step_and_reset
    assert world.run(plant) == 0
    stamps = [frame.stamp_ns // simulation.control_period_ns for frame in controller.seen]
    assert stamps == [*range(1, 22), *range(1, TICKS + 1)]
    assert controller.resets == 1
    # as if it had just begun
    np.testing.assert_array_equal(simulation.written[20:40], simulation.written[:20])


def test_what_is_done_before_the_first_tick_has_a_stamp_and_a_reset_that_of_the_last(
    world, closed_loop
) -> None:
    plant = closed_loop(arm=False, duration=None)
    listener = world.add(Listener(EVENT_STATUS))
    listener.connect(world, plant)
    plant.disarm()
    for _ in range(3):
        plant._tick(world.spin, lambda: False)
    plant.reset()
    stamps = [stamp_of(raw) for raw in listener.receive(world, EVENT_STATUS, 2)]
    assert stamps[0] == PERIOD_NS and stamps[-1] == 3 * PERIOD_NS
