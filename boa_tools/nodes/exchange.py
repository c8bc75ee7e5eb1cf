# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The messages of a tick between two processes and nothing else: what ROS itself costs.

    python -m boa_tools.nodes.exchange answer &
    python -m boa_tools.nodes.exchange ask 3000

The asker publishes what a plant publishes in a tick of boa_circle and waits for the torques; the
answerer sends what a controller sends. Nothing is computed. The asker prints the times, us.
"""

import sys
from collections.abc import Callable
from time import perf_counter_ns

import rclpy
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from boa_control.experiments.build import build_controller
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.messages.control import ControlEncoder, TorqueCodec
from boa_control.messages.sensors import SensorEncoder
from boa_control.messages.topics import (
    JOINT_STATES,
    TORQUE_APPLIED,
    TORQUE_COMMAND,
    Outgoing,
    Topic,
)
from boa_control.messages.truth import TruthCodec
from boa_control.ros.endpoints import message_class, qos
from boa_control.ros.runtime import make_executor, use_discovery_profile
from boa_sim.factory import plant_from_experiment

SCENARIO = "boa_circle"
PATIENCE = 30.0  # s for the other process to come, and for an answer
WARM_UP = 100  # exchanges that do not count


def messages() -> tuple[Outgoing, Outgoing]:
    """Messages of plant and controller in the first tick; joint states and torques come last and
    first.
    """
    experiment = prepare(load_scenario(SCENARIO))
    plant = plant_from_experiment(experiment)
    frame, truth = plant.read(), plant.truth()
    output = build_controller(experiment).step(frame)
    robot = experiment.robot
    applied = TorqueCodec(robot, TORQUE_APPLIED).encode(frame.stamp_ns, effort=output.torque)
    truths = TruthCodec(robot).encode(truth)
    measured = [(TORQUE_APPLIED, applied), *truths, *SensorEncoder(robot).encode(frame)]
    plant.close()
    return measured, ControlEncoder(robot).encode(frame.stamp_ns, output)


class End:
    """One of the two processes."""

    def __init__(self, name: str, outgoing: Outgoing, incoming: Outgoing, last: Topic) -> None:
        """`last`: the incoming topic whose message completes an exchange."""
        self.node = Node(name)
        self.received = 0
        self._publishers = [
            (self.node.create_publisher(message_class(topic), topic.name, qos(topic)), raw)
            for topic, raw in outgoing
        ]
        create = self.node.create_subscription
        self._subscriptions = [
            create(message_class(t), t.name, self._callback(t is last), qos(t), raw=True)
            for t, _ in incoming
        ]
        self._executor = make_executor()
        self._executor.add_node(self.node)
        self.on_complete: Callable[[], None] = lambda: None

    def _callback(self, completes: bool) -> Callable[[bytes], None]:
        def received(_: bytes) -> None:
            if completes:
                self.received += 1
                self.on_complete()

        return received

    def publish(self) -> None:
        """Everything of a tick."""
        for publisher, raw in self._publishers:
            publisher.publish(raw)

    def spin(self) -> None:
        """Wait for one callback."""
        self._executor.spin_once(timeout_sec=0.1)

    @property
    def connected(self) -> bool:
        """Whether all topics have found their other end."""
        sent = all(publisher.get_subscription_count() for publisher, _ in self._publishers)
        return sent and all(item.get_publisher_count() for item in self._subscriptions)


def ask(count: int) -> list[float]:
    """Times of so many exchanges, us. Raises TimeoutError when nobody answers."""
    ours, theirs = messages()
    end = End("asker", ours, theirs, TORQUE_COMMAND)
    begin = perf_counter_ns()
    while not end.connected:
        _expect(begin)
        end.spin()
    times = []
    for _ in range(WARM_UP + count):
        begin, before = perf_counter_ns(), end.received
        end.publish()
        while end.received == before:
            _expect(begin)
            end.spin()
        times.append((perf_counter_ns() - begin) * 1e-3)
    return times[WARM_UP:]


def answer() -> None:
    """Answer until stopped by a signal."""
    theirs, ours = messages()
    end = End("answerer", ours, theirs, JOINT_STATES)
    end.on_complete = end.publish
    while True:
        end.spin()


def _expect(begin_ns: int) -> None:
    if perf_counter_ns() - begin_ns > PATIENCE * 1e9:
        raise TimeoutError(f"the other process has not answered for {PATIENCE:g} s")


if __name__ == "__main__":
    use_discovery_profile()
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    if sys.argv[1] == "ask":
        print(*(f"{time:.1f}" for time in ask(int(sys.argv[2]))), flush=True)
    else:
        answer()
