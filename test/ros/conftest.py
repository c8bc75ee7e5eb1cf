# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A world small enough to test nodes in: four links, a plant of double integrators, a controller of
two lines.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any

import numpy as np
import pytest

rclpy = pytest.importorskip("rclpy", reason="rclpy is not installed (requirements/ros.in)")

from rclpy.duration import Duration

from boa_control.controller import ContactEstimate, ControlOutput
from boa_control.events import Event, EventKind
from boa_control.experiments.experiment import Experiment
from boa_control.experiments.scenario import Scenario
from boa_control.plant import (
    ContactTruth,
    ForceSample,
    GroundTruth,
    ImuSample,
    PlanarTruth,
    PlantError,
    SensorFrame,
    Simulation,
)
from boa_control.safety.frame_guard import FrameGuard
from boa_description.load import load_robot
from boa_description.robot import Robot
from boa_description.scene import Circle

PERIOD_NS = 2_000_000
TICKS = 50  # of a short run
PATIENCE = 120.0  # s for what must happen; only a test that fails waits for so long


class FakeRobot:
    """Joints that a torque accelerates; forces and IMU every tick; remembers everything that is
    done to it.
    """

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.control_period_ns = PERIOD_NS
        self.armed = False
        self.calls: list[str] = []
        self.written: list[np.ndarray] = []
        self.broken: Exception | None = None
        self.faults: tuple[str, ...] = ()
        self.start()

    simulation: Simulation | None = None

    def now_ns(self) -> int:
        return self.stamp_ns

    def counters(self) -> dict[str, float]:
        return {}

    def warnings(self) -> tuple[str, ...]:
        return ()

    def start(self) -> None:
        self.armed = False
        self.stamp_ns = PERIOD_NS
        self.position, self.velocity = np.zeros(self.robot.joints), np.zeros(self.robot.joints)

    def read(self) -> SensorFrame:
        if self.broken is not None:
            raise self.broken
        n, links = self.robot.joints, self.robot.links
        yaw = np.concatenate(([0.0], np.cumsum(self.position)))
        rate = np.concatenate(([0.0], np.cumsum(self.velocity)))
        return SensorFrame(
            stamp_ns=self.stamp_ns,
            position=self.position.copy(),
            velocity=self.velocity.copy(),
            effort=np.zeros(n),
            joint_force=ForceSample(self.stamp_ns, np.outer(self.position, [1.0, 2.0, np.nan])),
            imu=ImuSample.planar(self.stamp_ns, yaw, rate, np.zeros((links, 2))),
            temperature=np.full(n, 30.0),
            joint_age=np.zeros(n),
            faults=self.faults,
        )

    def write(self, torque: np.ndarray) -> None:
        self.written.append(torque.copy())
        self.velocity = self.velocity + 0.05 * torque
        self.position = self.position + 0.002 * self.velocity
        self.stamp_ns += PERIOD_NS

    def arm(self) -> None:
        self.armed = True
        self.calls.append("arm")

    def disarm(self) -> None:
        self.armed = False
        self.calls.append("disarm")

    def reset_fault(self) -> None:
        self.armed = False
        self.calls.append("reset_fault")
        self.faults = ()

    def tare(self) -> None:
        if np.abs(self.velocity).max() > 1e-3:
            raise PlantError("cannot tare, joint_01 moves with 0.2 rad/s; keep the robot still")
        self.calls.append("tare")

    def fault_latched(self, reason: str) -> None:
        self.calls.append(f"fault_latched: {reason}")

    def close(self) -> None:
        self.calls.append("close")


class FakeSimulation(FakeRobot):
    """The same, with truth and restart."""

    @property
    def simulation(self) -> Simulation:
        return self

    def truth(self) -> GroundTruth:
        contact = ContactTruth.planar(1, 0, np.array([0.1, 0.2]), np.array([0.0, -1.0]), 3.0)
        return PlanarTruth(
            self.stamp_ns, np.zeros(3), np.zeros(3), self.position, self.velocity, (contact,)
        )

    def reset(self) -> None:
        self.calls.append("reset")
        self.start()

    def push(self, link: int, wrench: np.ndarray, duration: float) -> None:
        self.calls.append(f"push {link} {wrench.tolist()} {duration}")

    def place(self, base: np.ndarray, joints: np.ndarray) -> None:
        if self.armed:
            raise PlantError("cannot set the state while armed; disarm first")
        self.position = joints.copy()
        self.calls.append(f"place {base.tolist()}")


class Swing:
    """A controller with memory: a growing swing of the first joint, damping, and a contact now and
    then.
    """

    def __init__(self) -> None:
        self.seen: list[SensorFrame] = []
        self.resets = self.ticks = 0

    def reset(self) -> None:
        self.resets += 1
        self.ticks = 0

    def step(self, frame: SensorFrame) -> ControlOutput:
        self.seen.append(frame)
        self.ticks += 1
        assert frame.joint_force is not None and frame.imu is not None
        swing = (
            0.3 * np.sin(0.01 * self.ticks) - 0.2 * frame.position - 0.05 * frame.imu.yaw_rate[1:]
        )
        torque = swing + 0.01 * frame.joint_force.force[:, 0]
        contacts = (ContactEstimate(0, 1, 0.05, 1, 2.0),) if self.ticks % 3 else ()
        tick = Event(kind=EventKind.NOTE, note=f"tick {self.ticks}")
        events = (tick,) if self.ticks % 10 == 1 else ()
        return ControlOutput(
            torque, contacts, events, {"phase": float(self.ticks), "torque_nm": torque}
        )


@pytest.fixture
def robot() -> Robot:
    return load_robot("boa13", links=4)


@pytest.fixture
def experiment(robot: Robot) -> Experiment:
    scenario = Scenario.model_validate(
        {
            "name": "small",
            "summary": "four links",
            "robot": {"links": 4},
            "initial": {"base": [0, 0, 0]},
            "controller": {"name": "joint_pd"},
            "duration": 0.1,
        }
    )
    post = Circle(x=0.1, y=0.2, radius=0.05)
    return Experiment(scenario, robot, None, (post,), np.zeros(3), np.zeros(robot.joints), None)


@pytest.fixture
def ros(ros_domain: int) -> Iterator[None]:
    """rclpy in this test process's own domain, on this machine only."""
    from boa_control.ros.runtime import use_discovery_profile

    use_discovery_profile()
    rclpy.init(args=[])
    yield
    rclpy.try_shutdown()


class World:
    """Nodes in one process, with one executor."""

    def __init__(self, make_executor: Callable[[], Any]) -> None:
        self.executor = make_executor()
        self.programs: list[Any] = []
        self.spin_limit = 0.1  # s

    def add(self, program: Any) -> Any:
        self.programs.append(program)
        self.executor.add_node(program.node)
        return program

    def spin(self, seconds: float) -> None:
        self.executor.spin_once(timeout_sec=min(max(seconds, 0.0), self.spin_limit))

    def wait_for(self, happened: Callable[[], Any], what: str = "") -> None:
        """Serve callbacks until it has happened."""
        end = monotonic() + PATIENCE
        while not happened():
            assert monotonic() < end, f"{what or 'it'} did not happen within {PATIENCE:g} s"
            self.spin(0.01)

    def serve(self, turns: int = 50) -> None:
        """Serve so many callbacks, or wait for them: for what must not happen."""
        for _ in range(turns):
            self.spin(0.01)

    def call(self, node: Any, kind: Any, name: str, request: Any, again: float = math.inf) -> Any:
        """The answer of a service to a node of this world.

        Args:
            again: s after which it is asked once more. What another process answers is lost where
                it has not found the client within 0.1 s (ros2/ros2, issue 1253).
        """
        caller = node.create_client(kind, name)
        self.wait_for(caller.service_is_ready, f"service {name}")
        answers: list[Any] = []
        due = -math.inf

        def answered() -> bool:
            nonlocal due
            if monotonic() > due:
                due = monotonic() + again
                answers.append(caller.call_async(request))
            return any(answer.done() for answer in answers)

        self.wait_for(answered, f"answer of {name}")
        return next(answer.result() for answer in answers if answer.done())

    def connect(self, controller: Any, plant: Any) -> None:
        """What the controller's own loop does first: announce itself once the plant is there."""
        self.wait_for(lambda: controller.receives_plant, "connection of controller and plant")
        controller.announce()

    def run(self, program: Any, until: Callable[[], Any] = lambda: False) -> int:
        """Run a program to its end, or until told to stop, and the others to theirs."""
        end = monotonic() + PATIENCE

        def stopped() -> bool:
            assert monotonic() < end, f"it runs on after {PATIENCE:g} s"
            return bool(until())

        status = int(program.run(self.spin, stopped))
        for other in self.programs:
            if hasattr(other, "publish_records"):  # as its own loop when nothing comes
                other.publish_records()
        self.deliver()
        return status

    def deliver(self) -> None:
        """Wait until all that was published has arrived; callbacks may be still to come."""
        for endpoint in (item for other in self.programs for item in other.node.publishers):
            assert endpoint.wait_for_all_acked(Duration(seconds=PATIENCE)), endpoint.topic_name

    def close(self) -> None:
        for program in self.programs:
            program.close()
            self.executor.remove_node(program.node)
        self.executor.shutdown()
        for program in self.programs:
            program.node.destroy_node()


@pytest.fixture
def world(ros: None) -> Iterator[World]:
    from boa_control.ros.runtime import make_executor

    made = World(make_executor)
    yield made
    made.close()


@pytest.fixture
def simulation(robot: Robot) -> FakeSimulation:
    return FakeSimulation(robot)


@pytest.fixture
def controller() -> Swing:
    return Swing()


@pytest.fixture
def closed_loop(
    world: World, experiment: Experiment, simulation: FakeSimulation, controller: Swing
):
    """Make and connect plant node and controller node with the given options."""
    from rclpy.node import Node

    from boa_control.interface import SIMULATION_PARAMETERS
    from boa_control.ros.controller.node import ControllerNode
    from boa_control.ros.parameters import make_node
    from boa_control.ros.plant.node import PlantNode
    from boa_control.ros.plant.options import PlantOptions

    def make(plant: FakeRobot = simulation, **options: Any) -> PlantNode:
        chosen = PlantOptions(
            **{"arm": True, "lockstep": True, "wait_for_controller": True, **options}
        )
        made, _ = make_node("plant", SIMULATION_PARAMETERS)
        node = world.add(PlantNode(made, plant, experiment, chosen))
        guarded = FrameGuard(controller, experiment.robot.joint_names)
        answering = world.add(
            ControllerNode(Node("controller", namespace="/boa"), experiment, guarded)
        )
        world.connect(answering, node)
        return node

    return make
