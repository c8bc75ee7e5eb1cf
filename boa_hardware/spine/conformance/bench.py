# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Link boards on the bench: send them frames, listen to what they say, without a robot."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

import can

from boa_control.plant import PlantError
from boa_hardware.spine.bus import DRAIN_LIMIT
from boa_hardware.spine.decoder import Decoder
from boa_hardware.spine.protocol import (
    BROADCAST,
    FrameSpec,
    Opcode,
    arbitration_id,
    frames,
    message,
    split,
)
from boa_hardware.spine.settings import SpineSettings

SETTLED = 0.05  # s without a frame
SETTLE_TRIES = 20  # a board that never stops is not waited for
BRAIN_ONLY = (Opcode.SYNC_SENSOR, Opcode.SYNC_CONTROL, Opcode.SET_JOINT_TORQUE)


class Received(NamedTuple):
    """A frame that a board has sent: what it is, its payload, s since the request, and whether it
    is a data frame with a standard identifier.
    """

    opcode: int
    link: int
    data: bytes
    delay: float
    standard: bool


class Line(Protocol):
    """The part of a CAN bus that a bench needs."""

    def send(self, frame: can.Message, /) -> None:
        """Send a frame."""

    def recv(self, timeout: float | None = None) -> can.Message | None:
        """The next frame; None after `timeout` seconds without one."""


class BoardBench:
    """The Brain's side of a bench with link boards.

    Args:
        bus: an open channel; closed by whoever has opened it.
        settings: the wire format that is expected.
        clock_ns: monotonic clock, ns.
    """

    def __init__(self, bus: Line, settings: SpineSettings, clock_ns: Callable[[], int]) -> None:
        self.settings = settings
        self._bus = bus
        self._clock_ns = clock_ns
        self._specs = frames(settings)

    @property
    def kinds(self) -> tuple[Opcode, ...]:
        """The frames with which a board answers SYNC SENSOR."""
        if self.settings.fd_frame:
            return (Opcode.ALL_SENSORS,)
        servo = (Opcode.SERVO,) if self.settings.servo_frames else ()
        return (Opcode.ACC, Opcode.IMU, Opcode.CFS, *servo)

    def spec(self, opcode: Opcode) -> FrameSpec:
        """The protocol's description of a frame."""
        return self._specs[opcode]

    def length(self, opcode: Opcode) -> int:
        """Bytes of its payload on the wire."""
        return message(self.spec(opcode), 1, self.settings.byte_order).length

    def decoder(self, opcode: Opcode, *, swapped: bool = False) -> Decoder:
        """Of one kind of frame; `swapped`: in the other byte order than the settings'."""
        big = (self.settings.byte_order == "big") != swapped
        return Decoder(message(self.spec(opcode), 1, "big" if big else "little"))

    def now(self) -> float:
        """Time, s."""
        return self._clock_ns() * 1e-9

    def listen(self, seconds: float) -> list[Received]:
        """Everything that boards send within so long.

        Raises:
            PlantError: another Brain is on the bus.
        """
        begin = self._clock_ns()
        return self._until(begin, begin + round(seconds * 1e9), lambda _: False)

    def require_alone(self) -> None:
        """Listen before anything is sent.

        Raises:
            PlantError: another Brain is on the bus.
        """
        self.listen(self.settings.listening)

    def settle(self) -> None:
        """Let late answers to earlier SYNCs come in, so that they are not taken for something
        else.
        """
        for _ in range(SETTLE_TRIES):
            if not self.listen(SETTLED):
                return

    def sync(self, seconds: float | None = None, link: int | None = None) -> list[Received]:
        """Send SYNC SENSOR; what comes within so long (default: the patience of the settings), or
        until `link` has answered completely.
        """
        begin = self._clock_ns()
        end = begin + round((self.settings.patience if seconds is None else seconds) * 1e9)
        self.send(Opcode.SYNC_SENSOR, BROADCAST, {"zero": 0})
        required = set(self.kinds)

        def complete(received: Sequence[Received]) -> bool:
            return link is not None and required <= {r.opcode for r in received if r.link == link}

        return self._until(begin, end, complete)

    def series(self, link: int, count: int) -> list[list[Received]]:
        """The answers of a link to so many SYNCs at the sensor rate."""
        period_ns = round(1e9 / self.settings.sensor_rate)
        due, answers = self._clock_ns(), []
        for _ in range(count):
            received = self.sync(1.0 / self.settings.sensor_rate, link)
            answers.append([item for item in received if item.link == link])
            due = max(due + period_ns, self._clock_ns())
            rest = (due - self._clock_ns()) * 1e-9
            answers[-1] += [item for item in self.listen(rest) if item.link == link]
        return answers

    def values(self, received: Sequence[Received], *, swapped: bool = False) -> dict[str, float]:
        """The values in a board's answers by name, units of the wire; only what can be decoded."""
        values: dict[str, float] = {}
        for item in received:
            if item.opcode in self.kinds:
                decoder = self.decoder(Opcode(item.opcode), swapped=swapped)
                values |= zip(decoder.names, decoder.values(item.data) or (), strict=False)
        return values

    def send(self, opcode: Opcode, link: int, values: Mapping[str, float]) -> None:
        """Send a frame of the protocol. Raises PlantError where the adapter does not take it."""
        layout = message(self.spec(opcode), BROADCAST, self.settings.byte_order)
        self.send_raw(
            can.Message(
                arbitration_id=arbitration_id(opcode, link),
                is_extended_id=False,
                data=layout.encode(dict(values)),
            )
        )

    def send_raw(self, frame: can.Message) -> None:
        """Send any frame. Raises PlantError where the adapter does not take it."""
        try:
            self._bus.send(frame)
        except (can.CanError, OSError) as error:
            raise PlantError(f"spine: the adapter does not send: {error}") from error

    def _until(
        self, begin: int, end: int, complete: Callable[[Sequence[Received]], bool]
    ) -> list[Received]:
        """Frames until the end or until complete; after the end those that wait already: a busy
        computer may have kept this program from taking them in time.
        """
        received: list[Received] = []
        late = 0
        while not complete(received) and late < DRAIN_LIMIT:
            left = max(0, end - self._clock_ns())
            late += left == 0
            try:
                frame = self._bus.recv(left * 1e-9)
            except (can.CanError, OSError) as error:
                raise PlantError(f"spine: the adapter has gone: {error}") from error
            if frame is None and left == 0:
                break
            if frame is None or frame.is_error_frame or not frame.is_rx:
                continue
            opcode, link = split(frame.arbitration_id)
            if opcode in BRAIN_ONLY and not frame.is_extended_id:
                raise PlantError(
                    f"spine: another program drives this bus ({Opcode(opcode).name} received); "
                    "stop it"
                )
            received.append(
                Received(
                    opcode,
                    link,
                    bytes(frame.data),
                    (self._clock_ns() - begin) * 1e-9,
                    not (frame.is_extended_id or frame.is_remote_frame),
                )
            )
        return received
