# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The emulated Boa in real time: a serial port and a CAN adapter that any program can open.

One thread does it all. In Python threads would take turns anyway, at moments that nobody chooses;
here servos come first, then the link boards, then the body, a few steps at a time, so that no
answer waits long for anything else.
"""

import threading
import time
from collections.abc import Callable
from typing import Self

from boa_hardware.emulator.boa import EmulatedBoa
from boa_hardware.emulator.hands_socket import HandsServer
from boa_hardware.emulator.servo_line import ServoLine, readable
from boa_hardware.emulator.spine_emulator import SlcanServer

NO_PORT = "none"
POLL_PERIOD = 0.0003  # s between two polls of the servo line while the boards work
BODY_PERIOD = 0.002  # s that the body moves at once: the longest that joint readings are old


class BoaServer:
    """Serves an emulated Boa on pseudo-terminals from `start` to `stop`. Use as a context manager.

    Args:
        boa: made with `real_time=True`.
        latency: time that the USB adapter of the servo line adds to every answer, s.
        clock_ns: the robot's time, ns; one that runs slower than the host's makes a robot that
            waits longer.
    """

    def __init__(
        self,
        boa: EmulatedBoa,
        *,
        latency: float = 0.0,
        clock_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self.boa = boa
        self._clock_ns = clock_ns
        self._start_ns = clock_ns()
        on_spine = boa.settings.topology == "spine"
        self.line = (
            None
            if on_spine
            else ServoLine(boa.chain, boa.line_faults, latency=latency, clock=self.clock)
        )
        self.adapter = SlcanServer(
            boa.spine, clock_ns=clock_ns, start_ns=self._start_ns, own_thread=False
        )
        self.hands = HandsServer(boa.body.hands)
        self._polled = 0.0
        boa.spine.between = self._poll_line
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="emulated Boa", daemon=True)

    def clock(self) -> float:
        """Time since the start, s."""
        return (self._clock_ns() - self._start_ns) * 1e-9

    @property
    def serial_port(self) -> str:
        """Path of the serial port; "none" where servos sit on the spine."""
        return NO_PORT if self.line is None else self.line.port

    @property
    def channel(self) -> str:
        """CAN channel, as `boa_hardware.spine.channel` reads it."""
        return self.adapter.channels[0]

    def start(self) -> None:
        """Power on."""
        if self.line is not None:
            self.line.plug()
        self._thread.start()

    def stop(self) -> None:
        """Power off and remove the ports; may be called twice."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()
        if self.line is not None:
            self.line.stop()
        self.adapter.close()
        self.hands.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _run(self) -> None:
        while not self._stopping.is_set():
            ready = self._wait()
            if self.line is not None:
                self._serve_line(self.line, ready)
            self.adapter.turn(ready)
            if self.hands.descriptor in ready:
                self.hands.turn()
            self._poll_line()
            if self.clock() >= self._body_due:
                self.boa.body.run_to(self.clock(), BODY_PERIOD)

    @property
    def _body_due(self) -> float:
        """When the body has fallen behind by `BODY_PERIOD`, s."""
        return self.boa.body.next_step - self.boa.body.world.step + BODY_PERIOD

    def _wait(self) -> list[int]:
        """Wait until a host has sent or something is due; the descriptors with bytes to read."""
        due = min(self._body_due - self.clock(), self.adapter.due())
        others = (*self.adapter.descriptors, self.hands.descriptor)
        if self.line is None:
            return readable(others, max(due, 0.0))
        due = min(due, self.line.due())
        return readable((*self.line.descriptors, *others), max(due, 0.0))

    def _poll_line(self) -> None:
        """Let the servos answer in the middle of something else."""
        if self.line is None or self.clock() - self._polled < POLL_PERIOD:
            return
        if (ready := readable(self.line.descriptors, 0.0)) or self.line.due() == 0.0:
            self.line.turn(readable=bool(ready))
        self._polled = self.clock()

    def _serve_line(self, line: ServoLine, ready: list[int]) -> None:
        """Let the servos answer, and their faults begin and end."""
        now = self.clock()
        with line.lock:
            self.boa.apply_faults(now)
        if self.boa.line_unplugged(now):
            line.unplug()
        else:
            line.plug()
        line.turn(readable=any(descriptor in ready for descriptor in line.descriptors))
