"""`boa launch`: the nodes of a launch file as plain processes, for machines without ROS's launch system."""

from __future__ import annotations

import os
import re
import selectors
import signal
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import Any

from tqdm import tqdm

from boa_tools.bringup.child import Child, start
from boa_tools.bringup.description import NodeSpec
from boa_tools.bringup.launch_files import find_launch_file

INTERRUPTED = 130
PROGRESS = re.compile(r"progress (?P<time>[\d.]+)(?: of (?P<goal>[\d.e+]+))? s, (?P<factor>\S+) x real time")
PROGRESS_LINE_PERIOD = 10.0  # s, where there is no terminal to draw a bar on


def launch(file: str, given: Mapping[str, str]) -> int:
    """Start the nodes of a launch file and wait for their end.

    Returns:
        0 when the run ended by itself, 130 after Ctrl-C, 1 when a node failed.

    Raises:
        BoaError: unknown file or argument, or a wrong value; nothing has been started then.
    """
    bringup = find_launch_file(file)
    specs = bringup.nodes(bringup.resolve(given))
    with tempfile.TemporaryDirectory(prefix="boa-launch-") as scratch:
        environment = ros_environment(scratch)
        domain, reach = environment["ROS_DOMAIN_ID"], environment["ROS_AUTOMATIC_DISCOVERY_RANGE"]
        print(f"ROS_DOMAIN_ID={domain} ROS_AUTOMATIC_DISCOVERY_RANGE={reach}", flush=True)
        return Runner(specs, environment, Path(scratch)).run()


def ros_environment(scratch: str) -> dict[str, str]:
    """The environment of the nodes: what the user has set, else traffic on this machine and in a domain of its own."""
    defaults = {
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        "ROS_DOMAIN_ID": str(1 + os.getpid() % 100),
        "ROS_LOG_DIR": scratch,
    }
    return defaults | dict(os.environ)


class Runner:
    """Starts nodes, shows what they print, and stops them all, in order, when one has ended or on Ctrl-C."""

    def __init__(self, specs: tuple[NodeSpec, ...], environment: Mapping[str, str], scratch: Path) -> None:
        self._specs = specs
        self._environment = environment
        self._scratch = scratch
        self._children: list[Child] = []
        self._interrupts = 0
        self._selector = selectors.DefaultSelector()
        self._screen = Screen(max(len(spec.name) for spec in specs))

    def run(self) -> int:
        """Run to the end; returns the exit status."""
        before = {number: signal.signal(number, self._interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            for spec in self._specs:
                child = start(spec, self._environment, self._scratch)
                self._children.append(child)
                assert child.process.stdout is not None
                self._selector.register(child.process.stdout, selectors.EVENT_READ, child)
            while not self._interrupts and all(child.running for child in self._children):
                self._listen()
            first = [child for child in self._children if not child.running]
            self._stop_all()
            return self._verdict(first)
        finally:
            for child in self._children:
                if child.running:
                    child.process.kill()
                child.process.wait()
            self._screen.close()
            for number, handler in before.items():
                signal.signal(number, handler)

    def _interrupt(self, *_: object) -> None:
        self._interrupts += 1
        for child in self._children:
            child.hurry()

    def _listen(self) -> None:
        """Show what the nodes print, waiting for a tenth of a second at most."""
        for key, _ in self._selector.select(timeout=0.1):
            self._show(key.data)

    def _show(self, child: Child) -> None:
        lines = child.lines()
        for line in lines:
            self._screen.show(child.spec.name, line)
        if not lines and not child.running:
            self._selector.unregister(child.process.stdout)  # type: ignore[arg-type]

    def _stop_all(self) -> None:
        """Stop one node after the other, the plant first: its torque is off before anything else happens."""
        for child in self._children:
            while child.running:
                child.insist()
                self._listen()
        while self._selector.get_map():
            self._listen()

    def _verdict(self, first: list[Child]) -> int:
        for child in self._children:
            if child.failed:
                self._screen.say(f"node {child.spec.name} failed: {child.how_it_ended()}; its last lines are above")
        if any(child.failed for child in self._children):
            return 1
        if self._interrupts:
            self._screen.say("stopped; torque is off")
            return INTERRUPTED
        if first and first[0].spec is not self._specs[0]:
            self._screen.say(f"node {first[0].spec.name} ended before the run was over; everything was stopped")
            return 1
        return 0


class Screen:
    """Prints lines with the node's name before them, and progress lines as a bar."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._bar: Any = None
        self._next_line = 0.0

    def show(self, name: str, line: str) -> None:
        """Show a line that a node has printed."""
        progress = PROGRESS.fullmatch(line)
        if progress is None:
            tqdm.write(f"[{name:<{self._width}}] {line}", file=sys.stdout)
            sys.stdout.flush()
        elif sys.stderr.isatty():
            self._draw(float(progress["time"]), progress["goal"], progress["factor"])
        elif monotonic() >= self._next_line:
            self._next_line = monotonic() + PROGRESS_LINE_PERIOD
            print(f"[{name:<{self._width}}] {line}", flush=True)

    def say(self, text: str) -> None:
        """Say something ourselves."""
        tqdm.write(f"boa launch: {text}", file=sys.stderr)

    def _draw(self, time: float, goal: str | None, factor: str) -> None:
        if self._bar is None:
            form = "{l_bar}{bar}| {n:.1f}/{total:.1f} s{postfix}" if goal else "{n:.1f} s{postfix}"
            self._bar = tqdm(total=float(goal) if goal else None, desc="run", bar_format=form, leave=True)
        self._bar.set_postfix_str(f"{factor} x real time", refresh=False)
        self._bar.update(time - self._bar.n)
        self._bar.refresh()

    def close(self) -> None:
        """Leave the bar where it is."""
        if self._bar is not None:
            self._bar.close()
