"""The emulated Boa in real time: a serial port and a CAN adapter that any program can open."""

from __future__ import annotations

import contextlib
import threading
import time
from types import TracebackType
from typing import Self

from boa_hardware.emulator.boa import EmulatedBoa
from boa_hardware.emulator.servo_line import ServoLine
from boa_hardware.emulator.spine_emulator import SlcanServer

NO_PORT = "none"
FAULT_PERIOD = 0.005  # s between two looks at the fault script


class BoaServer:
    """Serves an emulated Boa on pseudo-terminals from `start` to `stop`. Use as a context manager.

    Args:
        boa: made with `real_time=True`.
        latency: time that the USB adapter of the servo line adds to every answer, s.
    """

    def __init__(self, boa: EmulatedBoa, *, latency: float = 0.0) -> None:
        self.boa = boa
        self._start_ns = time.monotonic_ns()
        on_spine = boa.settings.topology == "spine"
        self.line = None if on_spine else ServoLine(boa.chain, boa.line_faults, latency=latency, clock=self.clock)
        self.adapter: SlcanServer | None = None
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="body and faults", daemon=True)

    def clock(self) -> float:
        """Time since the start, s."""
        return (time.monotonic_ns() - self._start_ns) * 1e-9

    @property
    def serial_port(self) -> str:
        """Path of the serial port; "none" where servos sit on the spine."""
        return NO_PORT if self.line is None else self.line.port

    @property
    def channel(self) -> str:
        """CAN channel, as `boa_hardware.spine.channel` reads it."""
        assert self.adapter is not None
        return self.adapter.channels[0]

    def start(self) -> None:
        """Power on."""
        if self.line is not None:
            self.line.start()
        self.adapter = SlcanServer(self.boa.spine, start_ns=self._start_ns)
        self._thread.start()

    def stop(self) -> None:
        """Power off and remove the ports; may be called twice."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()
        if self.line is not None:
            self.line.stop()
        if self.adapter is not None:
            self.adapter.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def _run(self) -> None:
        """Keep the body up to date between requests, and let faults begin and end."""
        while not self._stopping.wait(FAULT_PERIOD):
            with self.line.lock if self.line is not None else contextlib.nullcontext():
                self.boa.apply_faults(self.clock())
            if self.line is not None:
                if self.boa.line_unplugged(self.clock()):
                    self.line.unplug()
                else:
                    self.line.plug()
            self.boa.body.run_to(self.clock())
