# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One CAN channel that watches its own health and is opened again by itself.

Knows nothing of the protocol.
"""

import errno
import threading
from collections.abc import Callable
from contextlib import suppress

import can

from boa_control.plant import PlantError
from boa_hardware.spine.health import BusMonitor, BusState, state_from_error_frame, state_from_flags
from boa_hardware.spine.settings import Restart
from boa_hardware.spine.slcan_driver import SlcanBus

SKIP_LIMIT = 50  # error frames in a row; a storm of them must not hold the caller
FLAGS_PERIOD = 0.1  # s, between requests for the status of an slcan adapter

Opener = Callable[..., can.BusABC]


class Adapter:
    """A python-can bus with supervision. `send` is thread-safe, everything else belongs to one
    thread.

    Args:
        channel: configuration string.
        fd: open it for CAN FD.
        restart: when to open it again.
        opener: opens the channel, as `boa_hardware.spine.channel.open_channel` does.
        now: monotonic time, s.
    """

    def __init__(
        self, channel: str, *, fd: bool, restart: Restart, opener: Opener, now: Callable[[], float]
    ) -> None:
        self._channel = channel
        self._fd = fd
        self._opener = opener
        self._now = now
        self._monitor = BusMonitor(restart)
        self._bus: can.BusABC | None = None
        self._lock = threading.Lock()
        self._next_flags_request = 0.0
        self._unreadable = 0

    @property
    def is_open(self) -> bool:
        """The channel is open as far as is known."""
        return self._bus is not None

    @property
    def state(self) -> BusState:
        """Newest known state of the bus."""
        return self._monitor.state

    @property
    def restarts(self) -> int:
        """How often the channel was opened again."""
        return self._monitor.restarts

    @property
    def unreadable(self) -> int:
        """Frames that the driver received and could not read, since the start."""
        return self._unreadable + (
            self._bus.malformed_lines if isinstance(self._bus, SlcanBus) else 0
        )

    def open(self) -> None:
        """Open the channel.

        Raises:
            BoaError: the channel string is wrong.
            PlantError: it cannot be opened, with the remedy.
        """
        self._bus = self._opener(self._channel, fd=self._fd)

    def close(self) -> None:
        """Release the channel. Never raises; may be called twice."""
        self._unreadable = self.unreadable
        bus, self._bus = self._bus, None
        if bus is not None:
            # the adapter is gone: nothing left to release
            with suppress(can.CanError, OSError, ValueError):
                bus.shutdown()

    def send(self, frame: can.Message) -> bool:
        """Send one frame; False if the adapter does not take it."""
        bus = self._bus
        if bus is None:
            return False
        try:
            with self._lock:
                bus.send(frame)
        except (can.CanError, OSError, ValueError) as error:
            # a full queue: nobody acknowledges, but it lives
            if getattr(error, "error_code", None) != errno.ENOBUFS:
                self._lost()
            return False
        return True

    def receive(self, timeout: float) -> can.Message | None:
        """Wait up to `timeout` s for a data or remote frame; error frames only change the state."""
        for _ in range(SKIP_LIMIT):
            frame = self._receive_any(timeout)
            if frame is None:
                return None
            timeout = 0.0
            if not frame.is_rx:  # some drivers (gs_usb) hand back what was sent
                continue
            if not frame.is_error_frame:
                return frame
            state = state_from_error_frame(frame)
            if state is not None:
                self._monitor.observe(state, self._now())
        return None

    def _receive_any(self, timeout: float) -> can.Message | None:
        bus = self._bus
        if bus is None:
            return None
        try:
            return bus.recv(timeout)
        except (can.CanError, OSError):
            self._lost()
        # the driver choked on garbage: that frame is lost, the next one may be good
        except ValueError:
            self._unreadable += 1
        return None

    def _lost(self) -> None:
        """The adapter refused to send or receive: close it, it is opened again after a pause."""
        self.close()
        self._monitor.observe(BusState.DOWN, self._now())

    def sync_done(self, *, answered: bool) -> None:
        """The time for answers to a request is over; `answered` if at least one node did."""
        bus, now = self._bus, self._now()
        if isinstance(bus, SlcanBus):
            self._check_flags(bus, answered=answered)
        elif bus is not None and not answered and bus.state is can.BusState.ERROR:
            self._monitor.observe(BusState.OFF, now)
        self._monitor.sync_done(answered=answered, now=now)

    def _check_flags(self, bus: SlcanBus, *, answered: bool) -> None:
        now = self._now()
        if bus.flags is not None:
            self._monitor.observe(state_from_flags(bus.flags, answered=answered), now)
            bus.flags = None
        if now >= self._next_flags_request:
            self._next_flags_request = now + FLAGS_PERIOD
            try:
                with self._lock:
                    bus.request_flags()
            except (can.CanError, OSError):
                self._lost()

    def restart_if_due(self) -> None:
        """Close and open the channel if its state requires it and the pause is over."""
        if not self._monitor.restart_due(self._now()):
            return
        self.close()
        with suppress(PlantError):
            self.open()
        self._monitor.restarted(opened=self.is_open, now=self._now())
