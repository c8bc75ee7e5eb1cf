# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One node as a child process: started, listened to, stopped."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import IO

import yaml

from boa_control.messages.progress import READ_BY_A_PROGRAM
from boa_control.ros.launcher import end_with_parent
from boa_tools.bringup.description import NodeSpec

# Not SIGINT: a Python that is still importing answers that with a page of traceback.
INSISTENCE = (signal.SIGTERM, signal.SIGTERM, signal.SIGKILL)
SECOND_CHANCE = 5.0  # s between the second and the last


@dataclass(slots=True)
class Child:
    """A running node.

    Attributes:
        spec: what was started.
        process: its process; stdout and stderr are one pipe.
        stopped_with: the signals sent so far.
        started: when, s.
    """

    spec: NodeSpec
    process: subprocess.Popen[bytes]
    stopped_with: list[signal.Signals] = field(default_factory=list)
    started: float = field(default_factory=monotonic)
    _next_signal: float = 0.0
    _partial: bytes = b""

    @property
    def running(self) -> bool:
        """Whether it still runs."""
        return self.process.poll() is None

    @property
    def failed(self) -> bool:
        """Whether it ended with anything but success, unless that was our doing.

        A node that was told to stop may end itself by SIGALRM (boa_control.ros.runtime: hanging
        tear-down).
        """
        status = self.process.poll()
        if status in (None, 0):
            return False
        expected = (-signal.SIGALRM, *(-number for number in self.stopped_with))
        return not (self.stopped_with and status in expected)

    @property
    def hung(self) -> bool:
        """Whether it ended itself because it hung when it left ROS."""
        return self.process.poll() == -signal.SIGALRM

    def how_it_ended(self) -> str:
        """E.g. "exit status 2" or "signal SIGKILL"."""
        status = self.process.returncode
        return f"exit status {status}" if status >= 0 else f"signal {signal.Signals(-status).name}"

    def insist(self) -> None:
        """Tell it to stop, with more emphasis the longer it takes. Call again and again until it
        has ended.
        """
        if not self.running or monotonic() < self._next_signal:
            return
        number = INSISTENCE[min(len(self.stopped_with), len(INSISTENCE) - 1)]
        patience = SECOND_CHANCE if self.stopped_with else self.spec.stop_seconds
        self._next_signal = monotonic() + patience
        self.stopped_with.append(number)
        self.process.send_signal(number)

    def end(self) -> None:
        """Stop it where the launcher itself has failed: it puts its torque down and closes its
        files, unless that takes too long.
        """
        try:
            self.process.terminate()  # nothing, where it has ended
            self.process.wait(self.spec.stop_seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def hurry(self) -> None:
        """Make the next `insist` take the next step at once."""
        self._next_signal = 0.0

    @property
    def output(self) -> IO[bytes]:
        """Lines that it prints."""
        assert self.process.stdout is not None
        return self.process.stdout

    def lines(self) -> list[str] | None:
        """Complete lines that it has printed since the last call, without blocking; None when it
        prints no more.
        """
        try:
            data = os.read(self.output.fileno(), 1 << 16)
        except BlockingIOError:
            return []
        if not data and not self._partial:
            return None
        *complete, self._partial = (self._partial + (data or b"\n")).split(b"\n")
        return [line.decode(errors="replace").rstrip("\r") for line in complete]


def command(spec: NodeSpec, parameter_file: Path) -> list[str]:
    """Command line of a process: name of its node where it is alone, namespace, parameter files,
    and last, so that it wins, `parameter_file`.
    """
    program = [spec.executable] if spec.module is None else [sys.executable, "-m", spec.module]
    words = [
        *program,
        *spec.arguments,
        "--ros-args",
        *(() if spec.beside else ("-r", f"__node:={spec.name}")),
        "-r",
        f"__ns:={spec.namespace}",
    ]
    for name, instead in spec.remappings:
        words += ["-r", f"{name}:={instead}"]
    for path in (*spec.parameter_files, parameter_file):
        words += ["--params-file", str(path)]
    return words


def write_parameters(spec: NodeSpec, directory: Path) -> Path:
    """Write the nodes' own parameters to a file under their full names: for all nodes (`-p
    name:=value` on the command line), they would lose against a node's own block in another file.
    """
    path = directory / f"{spec.title}.yaml"
    path.write_text(yaml.safe_dump(spec.parameter_blocks(), sort_keys=False), encoding="utf-8")
    return path


def start(spec: NodeSpec, environment: Mapping[str, str], scratch: Path) -> Child:
    """Start a node in a session of its own, so that a Ctrl-C at the terminal reaches us only."""
    process = subprocess.Popen(
        command(spec, write_parameters(spec, scratch)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**environment, **READ_BY_A_PROGRAM, "PYTHONUNBUFFERED": "1"},
        start_new_session=True,
        preexec_fn=end_with_parent,
    )
    child = Child(spec, process)
    os.set_blocking(child.output.fileno(), False)
    return child
