# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""State of the CAN bus, and when to restart it. Pure: fed with observations and times.

CAN controllers count errors and fall from error-active through error-passive to bus-off. How that
is reported depends on the adapter: SocketCAN delivers error frames, slcan adapters answer `F`,
others only refuse to send or fall silent. Error frames do not announce recovery, so a bad state
ends only with a restart or with answers from the boards.
"""

from enum import Enum

import can

from boa_hardware.spine.settings import Restart
from boa_hardware.spine.slcan_driver import FLAG_BUS_ERROR, FLAG_ERROR_PASSIVE, FLAG_ERROR_WARNING

# linux/can/error.h
CAN_ERR_CRTL = 0x004
CAN_ERR_BUSOFF = 0x040
CAN_ERR_RESTARTED = 0x100
CAN_ERR_CRTL_WARNING = 0x04 | 0x08
CAN_ERR_CRTL_PASSIVE = 0x10 | 0x20
CAN_ERR_CRTL_ACTIVE = 0x40


class BusState(Enum):
    """State of the CAN bus as seen from the Brain."""

    ACTIVE = "error-active"
    WARNING = "error-warning"
    PASSIVE = "error-passive"
    SILENT = "silent"  # no board answers
    OFF = "bus-off"
    DOWN = "down"  # the adapter is gone or the channel cannot be opened


BROKEN = (BusState.SILENT, BusState.OFF, BusState.DOWN)


def state_from_error_frame(frame: can.Message) -> BusState | None:
    """State that a SocketCAN error frame reports; None if it reports none (linux/can/error.h)."""
    kind = frame.arbitration_id
    control = frame.data[1] if len(frame.data) > 1 else 0
    if kind & CAN_ERR_BUSOFF:
        return BusState.OFF
    if kind & CAN_ERR_RESTARTED:
        return BusState.ACTIVE
    if kind & CAN_ERR_CRTL:
        if control & CAN_ERR_CRTL_PASSIVE:
            return BusState.PASSIVE
        if control & CAN_ERR_CRTL_WARNING:
            return BusState.WARNING
        if control & CAN_ERR_CRTL_ACTIVE:
            return BusState.ACTIVE
    return None


def state_from_flags(flags: int, *, answered: bool) -> BusState:
    """State from an slcan adapter's status flags.

    The protocol has no flag for bus-off; a bus error while nobody answers is taken for it.
    """
    if flags & FLAG_BUS_ERROR and not answered:
        return BusState.OFF
    if flags & FLAG_ERROR_PASSIVE:
        return BusState.PASSIVE
    return BusState.WARNING if flags & FLAG_ERROR_WARNING else BusState.ACTIVE


class BusMonitor:
    """Keeps the bus state and decides about restarts with a growing pause between them."""

    def __init__(self, settings: Restart) -> None:
        self._settings = settings
        self._state = BusState.ACTIVE
        self._since = 0.0
        self._pause = settings.first
        self._next_restart: float | None = None
        self._silent = 0
        self.restarts = 0

    @property
    def state(self) -> BusState:
        """Newest known state."""
        return self._state

    @property
    def answered(self) -> bool:
        """Some board answered the last SYNC."""
        return self._silent == 0

    def observe(self, state: BusState, now: float) -> None:
        """A state was reported (error frame, flags, failed send) at time `now`, s."""
        if state is not self._state:
            self._state, self._since = state, now
        self._plan(now)

    def sync_done(self, *, answered: bool, now: float) -> None:
        """A SYNC's time is over; `answered` if at least one board did."""
        self._silent = 0 if answered else self._silent + 1
        if answered and self._state in BROKEN:
            self.observe(BusState.ACTIVE, now)
        elif self._silent >= self._settings.silent_after and self._state not in BROKEN:
            self.observe(BusState.SILENT, now)
        else:
            self._plan(now)

    def _plan(self, now: float) -> None:
        stuck = (
            self._state is BusState.PASSIVE and now - self._since >= self._settings.passive_after
        )
        if self._state in BROKEN or stuck:
            if self._next_restart is None:
                self._next_restart = now + self._pause
        elif self._state is not BusState.PASSIVE:
            self._next_restart, self._pause = None, self._settings.first

    def restart_due(self, now: float) -> bool:
        """Whether the channel should be restarted now."""
        return self._next_restart is not None and now >= self._next_restart

    def restarted(self, *, opened: bool, now: float) -> None:
        """The channel was restarted; if it did not help, the next attempt waits twice as long."""
        self.restarts += 1
        self._pause = min(2 * self._pause, self._settings.longest)
        self._next_restart = now + self._pause
        if not opened:
            self.observe(BusState.DOWN, now)
        elif self._state is BusState.PASSIVE:
            self._state, self._since, self._next_restart = BusState.ACTIVE, now, None
        self._silent = 0 if self._state is BusState.ACTIVE else self._silent
