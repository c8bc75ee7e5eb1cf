# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The servo bus of one robot: one exchange with all servos per control tick.

Not thread-safe: one owner calls everything. `boa_hardware.servo.bringup` prepares, arms and
recovers the servos.
"""

import atexit
import contextlib
from collections.abc import Callable
from dataclasses import replace
from itertools import compress
from typing import Self

import numpy as np

from boa_control.plant import PlantError
from boa_description.arrays import Array
from boa_hardware.servo.answer_clock import AnswerClock
from boa_hardware.servo.cycle import (
    MEASURED,
    CycleReply,
    ServoCycle,
    completed,
    is_complete,
    parse_reply,
    read_request,
    reply_size,
    write_request,
)
from boa_hardware.servo.deadline import ReplyDeadline
from boa_hardware.servo.link import ServoLink
from boa_hardware.servo.obedience import Counts, Disobedience, ServoWatch
from boa_hardware.servo.protocol import BROADCAST
from boa_hardware.servo.registers import CURRENT, POSITION, VELOCITY, VOLTAGE, WATCHDOG_TICK
from boa_hardware.servo.sdk import ServoPort
from boa_hardware.servo.settings import ServoBusSettings

BITS_PER_BYTE = 10  # 8N1
# ticks under torque; in one of so many goals go out behind the answers instead of before the
# request: these then show what somebody else has written since the last tick
LISTENING = 5
TORQUE_OFF_REPEATS = 3  # a broadcast is not answered, so a lost one must not matter


class ServoBus:
    """All servos of a robot on one RS-485 line.

    Args:
        port: serial device, e.g. /dev/ttyUSB0, or the one `boa emulate` prints.
        settings: IDs, directions, zeros, limits.
        make_port: see ServoLink.

    Attributes:
        link: single-servo access for set-up.
        armed: torque is on as far as this program knows; set by `bringup.arm` and `torque_off`.
        fast_read: all servos know Fast Sync Read (firmware 45); set by the handshake.
    """

    def __init__(
        self,
        port: str,
        settings: ServoBusSettings,
        make_port: Callable[[str, int], ServoPort] = ServoPort,
    ) -> None:
        self.settings = settings
        self.link = ServoLink(port, settings.baud, make_port)
        self.armed = False
        self.fast_read = True
        joints = settings.joints
        self._ids = settings.ids
        self._direction = direction = np.array([joint.direction for joint in joints], float)
        plain = np.ones(len(joints))
        self._scale = (
            np.stack(  # joint coordinates = raw * scale - offset, a row for each of MEASURED
                [
                    direction * POSITION,
                    direction * VELOCITY,
                    direction * CURRENT,
                    plain * VOLTAGE,
                    plain,
                ]
            )
        )
        self._offset = np.zeros_like(self._scale)
        self._offset[0] = direction * [joint.zero for joint in joints]
        self._deadline = ReplyDeadline(settings.reply_margin)
        self._watch = ServoWatch(len(joints), settings.watchdog_counts)
        self._clocks = AnswerClock(len(joints))
        self._requests = {fast: read_request(self._ids, fast=fast) for fast in (False, True)}
        self.restart()

    def restart(self) -> None:
        """Forget all samples, misses and the expired watchdog, as after opening."""
        n = len(self._ids)
        self._next_fast = self.fast_read
        self._watchdog_expired = False
        self._late = False
        self._turn = 0
        self._outstanding = False
        self._watch.restart()
        self._clocks.restart()
        self._last_valid_ns = np.full(n, -1, np.int64)
        self._values = np.full((len(MEASURED), n), np.nan)
        position, velocity, current, voltage, temperature = self._values
        self._newest = ServoCycle(
            stamp_ns=0,
            position=position,
            velocity=velocity,
            current=current,
            voltage=voltage,
            temperature=temperature,
            error=np.zeros(n, np.uint8),
            hardware_error=np.zeros(n, np.uint8),
            age=np.full(n, np.inf),
            valid=np.zeros(n, bool),
            misses=np.zeros(n, np.int64),
            lost_setup=np.zeros(n, bool),
        )

    # opening and closing

    def open(self) -> None:
        """Open the port. From now on torque is switched off when this program ends in any orderly
        way.

        Raises:
            BusGoneError: the port cannot be opened; with the remedy.
        """
        self.link.open()
        atexit.register(self.close)
        self.restart()

    def close(self) -> None:
        """Switch torque off and close the port. Never raises; may be called twice."""
        atexit.unregister(self.close)
        self.torque_off()
        self.link.close()

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def ids(self) -> tuple[int, ...]:
        """Servo IDs in joint order."""
        return self._ids

    def torque_off(self) -> None:
        """Switch torque off in every servo within reach.

        Never raises; harmless when the port is closed.
        """
        self.armed = False
        with contextlib.suppress(PlantError):
            for _ in range(TORQUE_OFF_REPEATS):
                self.link.write(BROADCAST, "torque_enable", 0)

    # the cycle

    def wire_time(self, *, fast: bool = True) -> float:
        """Time one exchange needs on the wire at least, s."""
        count = len(self._ids)
        sent = len(write_request(self._ids, np.zeros(count, np.int64))) + len(self._requests[fast])
        return (sent + reply_size(count, fast=fast)) * BITS_PER_BYTE / self.link.baud

    def cycle(self, goal_current: Array | None = None) -> ServoCycle:
        """`exchange` with goal currents in amperes, for tools that move a single servo.

        Args:
            goal_current: shape (n_joints,), A, joint direction; rounded to whole counts. None: only
                read.

        Raises:
            PlantError: a goal current is not finite or the shape is wrong; nothing is sent.
            BusGoneError: the port has vanished.
        """
        return self.exchange(None if goal_current is None else self._whole_counts(goal_current))

    def exchange(self, goal: Counts | None) -> ServoCycle:
        """Send goal currents and read every servo, within wire time and the margin of
        `ReplyDeadline`.

        Servos that have not answered by then get a second request, a Sync Read, where the deadline
        leaves time for it: one lost packet costs no sample. The next tick uses the other form (Fast
        Sync Read or Sync Read) than the last reply that did not come, so that a reply a tick late
        cannot be taken for that tick's. Goals go out before the request, but in every
        `LISTENING`-th tick behind the first answers.

        Args:
            goal: shape (n_joints,), counts of Goal Current, joint direction; cut off at the current
                limit. None: only read.

        Returns:
            The sample; a servo that did not answer keeps its old values with their age and is not
            `valid`.

        Raises:
            BusGoneError: the port has vanished.
        """
        fast = self._next_fast and self.fast_read
        write = b"" if goal is None else self._goals(goal)
        judged = self.armed and goal is not None
        self._turn += judged
        read_first = judged and self._turn % LISTENING == 0
        sent_ns = self.link.port.now_ns()
        self._watch_silence(sent_ns)
        self._late = self.link.port.clearPort() > 0
        if self._late:
            self._deadline.late()
        request = self._requests[fast] if read_first else write + self._requests[fast]
        received = self._request(request, len(self._ids), self._deadline.margin, fast=fast)
        if read_first and self.armed:  # nobody has switched torque off meanwhile
            self.link.port.writePort(write)
        reply = parse_reply(received, self._ids, fast=fast)
        told = reply.answered & (not read_first)
        self._next_fast = not fast or bool(reply.answered.all())
        if reply.answered.all():
            self._outstanding = False
            self._note_latency(len(request), sent_ns, fast=fast)
        else:
            reply = self._second_try(reply, received, sent_ns, fast=fast)
        reply = self._present_part(reply, sent_ns)
        disobedient = self._clocks.old()
        if judged and self.armed:
            disobedient += self._watch.update(reply.block, reply.valid, told)
        self._newest = self._merge(reply, sent_ns, disobedient)
        return self._newest

    def _goals(self, goal: Counts) -> bytes:
        """The Sync Write of goals, counts in joint direction."""
        on_wire = self._on_wire(goal)
        self._watch.sent(on_wire)
        return write_request(self._ids, on_wire)

    def _present_part(self, reply: CycleReply, sent_ns: int) -> CycleReply:
        """The reply without answers that are old ones once more."""
        tick = reply.block["realtime_tick"]
        return replace(reply, valid=self._clocks.present(tick, reply.valid, sent_ns))

    def _second_try(
        self, reply: CycleReply, received: bytes, sent_ns: int, *, fast: bool
    ) -> CycleReply:
        """Ask the servos that have not answered once more, and take the first answer, too, if it
        comes meanwhile; but not where an earlier one is outstanding, which looks alike.
        """
        if received and not reply.answered.any():
            # an answer to the request before, in its form
            earlier = parse_reply(received, self._ids, fast=not fast)
            self._late = self._late or bool(earlier.answered.any())
        if not (margin := self._deadline.again):
            self._outstanding = True
            return reply
        missing = tuple(compress(self._ids, ~reply.answered))
        more = self._request(read_request(missing, fast=False), len(missing), margin, fast=False)
        again = parse_reply(more, missing, fast=False)
        self._next_fast |= not again.answered.all()
        reply = completed(reply, again)
        if fast and not self._outstanding and not reply.answered.all():
            reply = completed(reply, parse_reply(received + more, self._ids, fast=True))
            if reply.answered.all():
                self._note_latency(0, sent_ns, fast=fast)
        self._outstanding = not reply.answered.all()
        return reply

    def _request(self, request: bytes, servos: int, margin: float, *, fast: bool) -> bytes:
        """Send a request and read what so many servos answer until `margin`, s, after the time of
        the wire.
        """
        port = self.link.port
        size = len(request) + reply_size(servos, fast=fast)
        wait = size * BITS_PER_BYTE / self.link.baud + margin
        port.set_deadline(port.now_ns() + round(wait * 1e9))
        port.writePort(request)
        return self._receive(servos, fast=fast)

    def _note_latency(self, sent: int, sent_ns: int, *, fast: bool) -> None:
        """A complete answer to a request of `sent` bytes has come."""
        size = sent + reply_size(len(self._ids), fast=fast)
        passed = (self.link.port.now_ns() - sent_ns) * 1e-9
        self._deadline.answered(passed - size * BITS_PER_BYTE / self.link.baud)

    def _whole_counts(self, goal_current: Array) -> Counts:
        goal = np.asarray(goal_current, float)
        if goal.shape != (len(self._ids),):
            raise PlantError(
                f"goal current has shape {goal.shape}, the bus has {len(self._ids)} servos"
            )
        if not np.isfinite(goal).all():
            bad = int(np.flatnonzero(~np.isfinite(goal))[0])
            raise PlantError(
                f"goal current of servo {self._ids[bad]} is {goal[bad]}; nothing was sent"
            )
        return np.rint(goal / CURRENT).astype(np.int64)

    def _on_wire(self, goal: Counts) -> Counts:
        """Counts in servo direction; a servo silently drops a goal above its limit."""
        limit = self.settings.current_limit_counts
        return self._direction.astype(np.int64) * np.clip(goal, -limit, limit)

    def _watch_silence(self, sent_ns: int) -> None:
        """Only torque arms the Bus Watchdog; a Sync Write is not answered, so its trip must be
        inferred.
        """
        silence = (sent_ns - self.link.port.last_sent_ns) * 1e-9
        # its register counts in ticks: the last of them may be all but over at the start
        if self.armed and silence >= self.settings.watchdog - WATCHDOG_TICK:
            self._watchdog_expired = True

    def _receive(self, servos: int, *, fast: bool) -> bytes:
        """Bytes until the reply is complete or the deadline is over."""
        received = bytearray()
        while not is_complete(received, servos, fast=fast):
            data = self.link.port.readPort(4096)
            if not data:
                break
            received += data
        return bytes(received)

    def _merge(
        self, reply: CycleReply, sent_ns: int, disobedient: tuple[Disobedience, ...]
    ) -> ServoCycle:
        """The new sample where there is one, the old one with its age elsewhere."""
        old, valid, block = self._newest, reply.valid, reply.block
        self._last_valid_ns[valid] = sent_ns
        fresh = np.stack([block[name] for name in MEASURED]) * self._scale - self._offset
        self._values = np.where(valid, fresh, self._values)
        position, velocity, current, voltage, temperature = self._values
        return ServoCycle(
            stamp_ns=sent_ns,
            position=position,
            velocity=velocity,
            current=current,
            voltage=voltage,
            temperature=temperature,
            error=np.where(reply.answered, reply.error, old.error),
            hardware_error=np.where(valid, block["hardware_error_status"], old.hardware_error),
            age=np.where(self._last_valid_ns < 0, np.inf, (sent_ns - self._last_valid_ns) * 1e-9),
            valid=valid,
            misses=np.where(valid, 0, old.misses + 1),
            lost_setup=np.where(reply.answered, reply.lost_setup, old.lost_setup),
            watchdog_expired=self._watchdog_expired,
            late=self._late,
            disobedient=disobedient,
        )
