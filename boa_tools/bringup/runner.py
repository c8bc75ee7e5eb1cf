# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa launch`: the nodes of a launch file as plain processes, for machines without ROS's launch
system.
"""

import os
import selectors
import signal
import tempfile
from collections.abc import Mapping
from pathlib import Path
from time import monotonic, sleep

from boa_control.ros.start import ONE_THREAD
from boa_description.errors import unknown_name
from boa_tools.bringup.child import Child, start
from boa_tools.bringup.description import RESPAWN_SECONDS, Bringup, NodeSpec
from boa_tools.bringup.hoal import HOAL
from boa_tools.bringup.screen import Screen

LAUNCH_FILES: dict[str, Bringup] = {bringup.name: bringup for bringup in (HOAL,)}
INTERRUPTED = 130


def launch(file: str, given: Mapping[str, str]) -> int:
    """Start the nodes of a launch file and wait for their end.

    Returns:
        0 when the run ended by itself, 130 after Ctrl-C, 1 when a node failed.

    Raises:
        BoaError: unknown file or argument, or a wrong value; nothing has been started then.
    """
    bringup = find_launch_file(file)
    values = bringup.resolve(given)
    specs = bringup.nodes(values)
    bringup.check(values)
    with tempfile.TemporaryDirectory(prefix="boa-launch-") as scratch:
        environment = ros_environment(scratch)
        domain, reach = environment["ROS_DOMAIN_ID"], environment["ROS_AUTOMATIC_DISCOVERY_RANGE"]
        print(f"ROS_DOMAIN_ID={domain} ROS_AUTOMATIC_DISCOVERY_RANGE={reach}", flush=True)
        return Runner(specs, environment, Path(scratch)).run()


def ros_environment(scratch: str) -> dict[str, str]:
    """The environment of the nodes: what the user has set, else traffic on this machine and in a
    domain of its own.
    """
    defaults = {
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        "ROS_DOMAIN_ID": str(1 + os.getpid() % 100),
        "ROS_LOG_DIR": scratch,
        **ONE_THREAD,
    }
    return defaults | dict(os.environ)


class Runner:
    """Starts nodes, shows what they print, and stops them all, in order, when one has ended or on
    Ctrl-C.
    """

    def __init__(
        self, specs: tuple[NodeSpec, ...], environment: Mapping[str, str], scratch: Path
    ) -> None:
        self._specs = specs
        self._environment = environment
        self._scratch = scratch
        self._children: list[Child] = []
        self._interrupts = 0
        self._selector = selectors.DefaultSelector()
        self._screen = Screen(max(len(spec.title) for spec in specs))

    def run(self) -> int:
        """Run to the end; returns the exit status."""
        stops = {signal.SIGINT, signal.SIGTERM}
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as `nohup` has it
            stops.add(signal.SIGHUP)  # a terminal that is closed: the recorder has its time, too
        before = {number: signal.signal(number, self._interrupt) for number in stops}
        try:
            for spec in self._specs:
                self._children.append(self._start(spec))
            required = [child for child in self._children if child.spec.required]
            while not self._interrupts and all(child.running for child in required):
                self._respawn()
                self._listen()
            self._screen.end_progress()
            first = [child for child in required if not child.running]
            self._stop_all()
            return self._verdict(first)
        finally:
            for child in self._children:
                child.end()
            for number, handler in before.items():
                signal.signal(number, handler)

    def _start(self, spec: NodeSpec) -> Child:
        child = start(spec, self._environment, self._scratch)
        self._selector.register(child.output, selectors.EVENT_READ, child)
        return child

    def _respawn(self) -> None:
        """Start again what has ended and shall not stay so."""
        now = monotonic()
        for index, child in enumerate(self._children):
            if child.spec.respawn and not child.running and now >= child.started + RESPAWN_SECONDS:
                self._screen.say(f"node {child.spec.title} ended; it starts again")
                self._children[index] = self._start(child.spec)

    def _interrupt(self, *_: object) -> None:
        self._interrupts += 1
        for child in self._children:
            child.hurry()

    def _listen(self) -> None:
        """Show what the nodes print, waiting for a tenth of a second at most."""
        self._show(self._selector.select(timeout=0.1))
        if not self._selector.get_map():
            sleep(0.1)

    def _show(self, ready: list[tuple[selectors.SelectorKey, int]]) -> None:
        for key, _ in ready:
            child: Child = key.data
            lines = child.lines()
            if lines is None:
                self._selector.unregister(child.output)
            for line in lines or ():
                self._screen.show(child.spec.title, line)

    def _stop_all(self) -> None:
        """Stop one node after the other, the plant first: its torque is off before anything else
        happens.
        """
        for child in self._children:
            while child.running:
                child.insist()
                self._listen()
        while self._selector.get_map() and (ready := self._selector.select(timeout=0)):
            self._show(ready)

    def _verdict(self, first: list[Child]) -> int:
        for child in self._children:
            if child.hung:
                self._screen.say(
                    f"node {child.spec.title} hung when it left ROS and ended itself; "
                    f"if results are missing, boa report writes them from the bag"
                )
        failed = [child for child in self._children if child.failed]
        for child in failed:
            self._screen.say(
                f"node {child.spec.title} failed: {child.how_it_ended()}; its last lines are above"
            )
        if any(child.spec.required for child in failed):
            return 1
        if self._interrupts:
            self._screen.say("stopped; torque is off")
            return INTERRUPTED
        if first and first[0].spec is not self._specs[0]:
            self._screen.say(
                f"node {first[0].spec.title} ended before the run was over; everything was stopped"
            )
            return 1
        return 0


def find_launch_file(name: str) -> Bringup:
    """The launch file of that name; a path to it will do. Raises BoaError with the names that there
    are.
    """
    short = Path(name).name
    if short not in LAUNCH_FILES:
        raise unknown_name("launch file", name, LAUNCH_FILES)
    return LAUNCH_FILES[short]
