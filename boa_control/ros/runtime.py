# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How every process of the stack starts, spins and ends.

Signals only set a flag, so a node always leaves through its own `close`; rclpy's handlers leave by
an exception out of whatever is running. The executor is rclpy's EventsExecutor where there is one
(a callback costs it 11 microseconds, the ordinary executor 70 and more), driven by `spin_once` with
a time-out: without one its calls never return.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from importlib.resources import files
from itertools import chain
from time import monotonic
from typing import Any, Protocol

import rclpy
from rclpy.duration import Duration
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from boa_control.plant import PlantError
from boa_control.priority import freeze_memory
from boa_control.safety.controller_error import ControllerError
from boa_description.errors import BoaError

FAILED, WRONG_INPUT = 1, 2
QUIET = 5.0  # s between two complaints of one kind
LONGEST_SPIN = 0.1  # s; signals are noticed between spins
# then the process ends itself: Fast DDS 2.14 can hang when two processes leave together (issue 6502
# of eProsima/Fast-DDS). More than a busy computer takes, less than the launch waits before it kills
TEARDOWN_SECONDS = 8
# s for what was sent last to arrive: a node that leaves takes along what others have not got yet,
# and on a busy computer those were the last ticks of a bag
DELIVERY_SECONDS = 2.0

Spin = Callable[[float], None]
"""Run at most one callback, waiting for it for at most so many seconds."""


class Program(Protocol):
    """Nodes of one process, mostly one, and what they do."""

    @property
    def nodes(self) -> Sequence[Node]:
        """The ROS nodes."""

    def run(self, spin: Spin, stopped: Callable[[], bool]) -> int:
        """Work until done or until `stopped()`; return the exit status."""

    def close(self) -> None:
        """Leave everything safe (torque off, files closed). Called on every way out; never
        raises.
        """


def use_discovery_profile() -> None:
    """Tell Fast DDS to use our discovery settings, unless the user has a profile of their own."""
    profile = str(files("boa_control.ros") / "fast_dds.xml")
    os.environ.setdefault("FASTRTPS_DEFAULT_PROFILES_FILE", profile)  # read by Jazzy's Fast DDS
    os.environ.setdefault("FASTDDS_DEFAULT_PROFILES_FILE", profile)  # read by later ones


def make_executor() -> Executor:
    """The fastest executor that this rclpy offers."""
    try:
        from rclpy.experimental.events_executor import EventsExecutor
    except ImportError:
        return SingleThreadedExecutor()
    return EventsExecutor()


def run(
    make_program: Callable[[], Program], args: list[str] | None = None, close_seconds: int = 0
) -> int:
    """Run nodes until they are done or told to stop by SIGINT or SIGTERM; returns the exit status.

    0: done or stopped; 1: plant or controller failed; 2: wrong input, said in one line.

    Args:
        make_program: what to run.
        args: of ROS; None: those of the command line.
        close_seconds: after which a program that hangs in its `close` ends by SIGALRM; 0: never.
    """
    use_discovery_profile()
    rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
    told: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda caught, _: told.append(caught))
    program: Program | None = None
    executor = make_executor()
    try:
        program = make_program()
        for node in program.nodes:
            executor.add_node(node)
        freeze_memory()
        return program.run(_spinner(executor), lambda: bool(told))
    except BoaError as error:
        return complain(error, WRONG_INPUT)
    except ControllerError as error:
        print(error.trace, file=sys.stderr)
        return complain(BoaError(f"controller: {error}"), FAILED)
    except PlantError as error:
        return complain(error, FAILED)
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        _end_in(close_seconds)
        if program is not None:
            program.close()
        _tear_down(executor, () if program is None else program.nodes)


def _spinner(executor: Executor) -> Spin:
    def spin(seconds: float) -> None:
        executor.spin_once(timeout_sec=min(max(seconds, 0.0), LONGEST_SPIN))

    return spin


def _tear_down(executor: Executor, nodes: Sequence[Node]) -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    _end_in(TEARDOWN_SECONDS)
    _deliver(nodes)
    # first: it holds on to what it has waited for, and others would go on seeing the node
    executor.shutdown()
    for node in nodes:
        node.destroy_node()
    rclpy.try_shutdown()
    _end_in(0)


def _end_in(seconds: int) -> None:
    """Let the process end by SIGALRM in so many seconds from now; 0: not any more."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(seconds)


def _deliver(nodes: Sequence[Node]) -> None:
    """Wait until all that the nodes have published has arrived; not for ever."""
    end = monotonic() + DELIVERY_SECONDS
    for endpoint in chain.from_iterable(node.publishers for node in nodes):
        endpoint.wait_for_all_acked(Duration(seconds=max(end - monotonic(), 0.0)))


def complain(error: Exception, status: int) -> int:
    """Print an error as one line and return the exit status."""
    print(f"error: {' '.join(str(error).split())}", file=sys.stderr, flush=True)
    return status


def main(make_program: Callable[[], Program]) -> Any:
    """Entry point of a module that is run as a program."""
    sys.exit(run(make_program))
