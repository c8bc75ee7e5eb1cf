# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The plant as a managed node: transitions and services change the same state."""

from __future__ import annotations

import pytest
from lifecycle_msgs.msg import TransitionEvent
from lifecycle_msgs.srv import (
    ChangeState,
    GetAvailableStates,
    GetAvailableTransitions,
    GetState,
)
from rclpy.node import Node
from std_srvs.srv import Trigger

from boa_control.plant import PlantError
from boa_control.ros.plant.node import PlantNode
from boa_control.ros.plant.options import PlantOptions

pytestmark = [pytest.mark.ros, pytest.mark.realtime]


class Tools:
    """What `ros2 lifecycle` does."""

    def __init__(self) -> None:
        self.node = Node("tools")
        self.arrows: list[tuple[str, str, str]] = []
        self.node.create_subscription(
            TransitionEvent, "/boa/plant/transition_event", self._on_event, 100
        )

    def _on_event(self, event: TransitionEvent) -> None:
        arrow = (event.start_state.label, event.transition.label, event.goal_state.label)
        self.arrows.append(arrow)

    def close(self) -> None:
        pass


class Bench:
    """A plant node that has read a frame, and the tools beside it."""

    def __init__(self, world, simulation, experiment) -> None:
        self.world, self.simulation = world, simulation
        self.tools = world.add(Tools())
        self.plant = world.add(
            PlantNode(Node("plant", namespace="/boa"), simulation, experiment, PlantOptions())
        )
        self.plant._frame = self.plant._supervisor.read()

    def call(self, kind, name: str, request):
        return self.world.call(self.tools.node, kind, f"/boa/plant/{name}", request)

    def arrows(self, last: tuple[str, str, str]) -> list[tuple[str, str, str]]:
        """All events so far: `last` has come, and nothing comes after it."""
        self.world.wait_for(lambda: self.tools.arrows[-1:] == [last], f"event {last}")
        self.world.serve()
        return self.tools.arrows

    def set(self, label: str = "", number: int = 0) -> bool:
        request = ChangeState.Request()
        request.transition.label, request.transition.id = label, number
        return self.call(ChangeState, "change_state", request).success

    def state(self) -> str:
        return self.call(GetState, "get_state", GetState.Request()).current_state.label

    def possible(self) -> list[str]:
        answer = self.call(
            GetAvailableTransitions, "get_available_transitions", GetAvailableTransitions.Request()
        )
        return [item.transition.label for item in answer.available_transitions]


@pytest.fixture
def bench(world, simulation, experiment) -> Bench:
    return Bench(world, simulation, experiment)


def test_transitions_arm_and_disarm(bench) -> None:
    assert bench.state() == "inactive"
    assert bench.possible() == ["cleanup", "activate", "shutdown"]
    assert bench.set("activate") and bench.simulation.armed
    assert bench.state() == "active" and bench.possible() == ["deactivate", "shutdown"]
    assert bench.set(number=4) and not bench.simulation.armed
    assert bench.state() == "inactive"
    last = ("deactivating", "transition_success", "inactive")
    assert bench.arrows(last)[-4:] == [
        ("inactive", "activate", "activating"),
        ("activating", "transition_success", "active"),
        ("active", "deactivate", "deactivating"),
        last,
    ]


def test_services_change_the_state_that_the_tools_see(bench) -> None:
    bench.call(Trigger, "arm", Trigger.Request())
    assert bench.state() == "active"
    bench.call(Trigger, "disarm", Trigger.Request())
    assert bench.state() == "inactive"


def test_a_request_that_is_not_possible_is_refused_and_the_node_goes_on(bench, capfd) -> None:
    for wrong in ({"label": "deactivate"}, {"label": "fly"}, {"number": 99}, {"number": 30}):
        assert not bench.set(**wrong)
    assert "transition deactivate is not possible while inactive" in capfd.readouterr().err
    assert bench.state() == "inactive"


def test_an_activation_that_fails_says_why_and_stays_inactive(bench, capfd, monkeypatch) -> None:
    def refuse() -> None:
        raise PlantError("servo 3 does not answer; check its cable")

    monkeypatch.setattr(bench.simulation, "arm", refuse)
    assert not bench.set("activate") and bench.state() == "inactive"
    assert "activate failed: servo 3 does not answer" in capfd.readouterr().err
    last = ("activating", "transition_failure", "inactive")
    assert bench.arrows(last)[-1] == last


def test_a_fault_leads_through_error_processing_and_configure_clears_it(bench) -> None:
    assert bench.set("activate")
    bench.simulation.faults = ("servo 3 (joint_03): no reply for 3 ticks; check its cable",)
    bench.plant._frame = bench.plant._supervisor.read()
    bench.plant._apply(bench.plant._frame, None)
    bench.plant._follow()
    assert bench.state() == "unconfigured" and not bench.simulation.armed
    last = ("errorprocessing", "transition_success", "unconfigured")
    assert bench.arrows(last)[-3:] == [
        ("active", "deactivate", "deactivating"),
        ("deactivating", "transition_error", "errorprocessing"),
        last,
    ]
    assert not bench.set("activate")
    assert bench.set("configure") and bench.state() == "inactive"
    assert "reset_fault" in bench.simulation.calls
    assert bench.set("activate"), "and it can be armed again"


def test_after_cleanup_it_has_to_be_configured(bench) -> None:
    assert bench.set("cleanup") and bench.state() == "unconfigured"
    answer = bench.call(Trigger, "arm", Trigger.Request())
    assert not answer.success
    assert answer.message.endswith("not configured; ros2 lifecycle set /boa/plant configure")
    assert bench.set("configure") and bench.set("activate")


def test_shutdown_ends_the_run(bench) -> None:
    assert bench.set("activate") and bench.set("shutdown")
    assert bench.state() == "finalized" and not bench.simulation.armed
    assert bench.world.run(bench.plant) == 0


def test_the_graph_is_that_of_ros(bench) -> None:
    answer = bench.call(
        GetAvailableTransitions, "get_transition_graph", GetAvailableTransitions.Request()
    )
    assert len(answer.available_transitions) == 25
    states = bench.call(GetAvailableStates, "get_available_states", GetAvailableStates.Request())
    assert [state.id for state in states.available_states] == [
        0,
        1,
        2,
        3,
        4,
        10,
        11,
        12,
        13,
        14,
        15,
    ]
