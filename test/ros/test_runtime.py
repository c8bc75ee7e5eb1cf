# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a node starts and ends, whatever ends it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
import rclpy
from rclpy.node import Node
from std_msgs.msg import String

from boa_control.plant import PlantError
from boa_control.ros import runtime
from boa_control.safety.controller_error import ControllerError
from boa_description.errors import BoaError

pytestmark = [pytest.mark.ros, pytest.mark.realtime]


class Work:
    """A program that does what it is told, and notes whether it was closed."""

    def __init__(self, work) -> None:
        self.node = Node("worker")
        self.nodes = (self.node,)
        self.work = work
        self.closed = 0

    def run(self, spin, stopped) -> int:
        return int(self.work(spin, stopped) or 0)

    def close(self) -> None:
        self.closed += 1


@pytest.fixture(autouse=True)
def as_it_was(monkeypatch):
    """The runtime takes over signals for good, and ends a process that hangs; tests give them back,
    and are not ended on a busy machine.
    """
    monkeypatch.setattr(runtime, "TEARDOWN_SECONDS", 600)
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)
    before = {number: signal.getsignal(number) for number in numbers}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def run(work, made: list[Work]) -> int:
    def make() -> Work:
        made.append(Work(work))
        return made[0]

    return runtime.run(make, args=[])


@pytest.mark.parametrize(
    "numbers", [(signal.SIGINT,), (signal.SIGTERM,), (signal.SIGINT, signal.SIGINT)]
)
def test_signals_end_the_loop_and_nothing_else(numbers) -> None:
    made: list[Work] = []

    def work(spin, stopped) -> None:
        turns = 0
        while not stopped():
            turns += 1
            if turns == 3:
                for number in numbers:
                    os.kill(os.getpid(), number)
            assert turns < 100
            spin(0.01)

    assert run(work, made) == 0
    assert made[0].closed == 1


def fail(error: Exception):
    def work(spin, stopped) -> None:
        raise error

    return work


def test_a_failed_plant_wrong_input_and_a_failed_controller_are_one_line_each(capfd) -> None:
    made: list[Work] = []
    assert run(fail(PlantError("servo bus: no reply;\ncheck the cable")), made) == runtime.FAILED
    said = [line for line in capfd.readouterr().err.splitlines() if not line.startswith("[")]
    assert said == ["error: servo bus: no reply; check the cable"]  # beside the log of DDS
    assert made[0].closed == 1
    assert run(fail(BoaError("no such scenario")), []) == runtime.WRONG_INPUT
    capfd.readouterr()
    assert run(fail(ControllerError("KeyError: 's'", "the way there")), []) == runtime.FAILED
    said = [line for line in capfd.readouterr().err.splitlines() if not line.startswith("[")]
    assert said == ["the way there", "error: controller: KeyError: 's'"]


def test_a_mistake_of_ours_is_not_hidden_but_the_node_is_closed() -> None:
    made: list[Work] = []
    with pytest.raises(ZeroDivisionError):
        run(lambda spin, stopped: 1 // 0, made)
    assert made[0].closed == 1


def test_a_node_that_cannot_be_made_says_why() -> None:
    def make():
        raise BoaError("robot 'boa12' does not exist")

    assert runtime.run(make, args=[]) == runtime.WRONG_INPUT


STUCK = """
import time
from rclpy.node import Node
from boa_control.ros import runtime

class Stuck:
    def __init__(self):
        self.nodes = (Node("stuck"),)

    def run(self, spin, stopped):
        return 0

    def close(self):
        print("done", flush=True)
        time.sleep(600)

runtime.run(Stuck, args=[], close_seconds=1)
"""


def test_a_program_that_hangs_when_it_is_closed_ends_itself(ros_domain) -> None:
    done = subprocess.run([sys.executable, "-c", STUCK], capture_output=True, text=True)
    assert done.returncode == -signal.SIGALRM and done.stdout == "done\n"


LISTENER = """
import rclpy
from std_msgs.msg import String

rclpy.init()
node = rclpy.create_node("listener")
received = []
subscription = node.create_subscription(String, "/news", received.append, 10)
over = False
while not received and not over:
    over = node.count_publishers("/news") >= 2  # before it looks: what was sent earlier is there
    rclpy.spin_once(node, timeout_sec=0.1)
print([message.data for message in received])
"""
SENDER = """
import os, signal, subprocess, sys
from rclpy.node import Node
from std_msgs.msg import String
from boa_control.ros import runtime

class Sender:
    def __init__(self):
        self.node = Node("sender")
        self.nodes = (self.node,)

    def run(self, spin, stopped):
        news = self.node.create_publisher(String, "/news", 10)
        while not news.get_subscription_count():
            spin(0.01)
        os.kill(int(sys.argv[1]), signal.SIGSTOP)
        news.publish(String(data="the end"))
        # a process of its own: who waits for delivery does not give way to other threads
        subprocess.Popen(["sh", "-c", f"sleep 2; kill -CONT {sys.argv[1]}"])
        return 0

    def close(self):
        pass

runtime.TEARDOWN_SECONDS, runtime.DELIVERY_SECONDS = 600, 600.0
runtime.run(Sender, args=[])
"""


def test_what_a_node_has_sent_arrives_although_it_leaves(ros_domain) -> None:
    """The receiver stands still meanwhile, as on a busy computer."""
    listener = subprocess.Popen([sys.executable, "-c", LISTENER], stdout=subprocess.PIPE, text=True)
    try:
        subprocess.run([sys.executable, "-c", SENDER, str(listener.pid)], check=True)
        rclpy.init()
        try:  # ends a listener that has missed it
            node = Node("late")
            late = [node.create_publisher(String, "/news", 10) for _ in range(2)]
            assert listener.communicate(timeout=600)[0] == "['the end']\n"
            assert len(late) == 2
        finally:
            rclpy.shutdown()
    finally:
        listener.kill()
        listener.wait()
