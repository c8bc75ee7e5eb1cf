# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The emulated spine: link boards on a CAN wire, and the Brain's adapter to it.

`EmulatedSpine` is a state machine; `SlcanServer` connects it with real time, to a pseudo-terminal
(as a CANable).
"""

import contextlib
import os
import threading
import time
from collections.abc import Callable, Container, Iterable, Sequence
from pathlib import Path

from boa_description.robot import Robot
from boa_hardware.emulator.can_wire import CanWire, ErrorCounters, Transmission, WireFrame
from boa_hardware.emulator.link_board import BoardSensors, LinkBoard
from boa_hardware.emulator.link_physics import LinkPhysics
from boa_hardware.emulator.servo_line import readable
from boa_hardware.emulator.servo_physics import ServoPhysics
from boa_hardware.emulator.slcan import LINE_ENDS, SlcanAdapter, line_end
from boa_hardware.emulator.spine_faults import SpineFaults
from boa_hardware.emulator.terminal import PortFolder, Terminal
from boa_hardware.sensors.k3d40 import nominal_calibration
from boa_hardware.spine.protocol import Opcode, split
from boa_hardware.spine.settings import SpineSettings

BRAIN = 0
TURNAROUND_NS = 100_000  # from the end of SYNC SENSOR until a board's frames are ready
IDLE = 0.02  # s, longest wait, so that faults and watchdogs act without traffic
USB_FRAME_NS = 1_000_000  # a full-speed USB adapter delivers at most once per millisecond


class EmulatedSpine:
    """All link boards and the wire between them. Times are ns on the emulator's clock.

    Args:
        boards: of all links.
        faults: the same object that the boards have.

    Attributes:
        between: called between two boards that answer, for whoever cannot wait until all have.
    """

    def __init__(self, boards: Sequence[LinkBoard], faults: SpineFaults) -> None:
        self.boards = tuple(boards)
        self._driving = tuple(board for board in boards if board.drives)
        self.faults = faults
        self.between: Callable[[], None] = lambda: None
        self.wire = CanWire(destroyed=self._destroyed)

    def _destroyed(self, frame: WireFrame, now_ns: int) -> bool:
        return self.faults.strikes("corrupt", frame.identifier, now_ns * 1e-9) is not None

    def send(self, frame: WireFrame, now_ns: int) -> None:
        """Somebody wants this frame on the bus; bus faults strike here."""
        now = now_ns * 1e-9
        if self.faults.strikes("lose", frame.identifier, now):
            return
        late = self.faults.strikes("delay", frame.identifier, now)
        ready_ns = now_ns + (round(late.amount * 1e9) if late else 0)
        self.wire.submit(frame, ready_ns)
        if self.faults.strikes("duplicate", frame.identifier, now):
            self.wire.submit(frame, ready_ns)

    def run_to(self, now_ns: int) -> list[Transmission]:
        """Let time pass; return the frames that were on the bus, boards' and the Brain's."""
        transmitted = []
        for transmission in self.wire.advance(now_ns):
            transmitted.append(transmission)
            frame, end = transmission.frame, transmission.end_ns
            if frame.sender > BRAIN and split(frame.identifier)[0] != Opcode.PANIC:
                self.between()
                continue  # boards do not listen to each other's sensors
            for board in self.boards:
                for answer in board.receive(frame, end * 1e-9):
                    self.send(answer, end + TURNAROUND_NS)
                self.between()
        for board in self._driving:
            board.watch(now_ns * 1e-9)
        return transmitted

    def next_event_ns(self) -> int | None:
        """When the next frame ends; None while the bus is idle."""
        return self.wire.next_end_ns()


def emulate_spine(
    robot: Robot,
    settings: SpineSettings,
    links: Sequence[LinkPhysics],
    *,
    servos: Sequence[ServoPhysics] | None = None,
    sensors: BoardSensors | None = None,
    faults: SpineFaults | None = None,
    seed: int = 0,
) -> EmulatedSpine:
    """The spine of a whole robot, with nominal force sensors.

    Args:
        robot: number of links, force range, torque constant.
        settings: the wire format, as the Brain has it.
        links: physics of each link, from the tail. A link's force is that of the sensor its board
            reads.
        servos: one per joint if boards drive them (2022 Boa), else None.
        sensors: imperfections of every board.
        faults: what goes wrong.
        seed: of the noise.
    """
    faults = faults or SpineFaults()
    calibrations = (nominal_calibration(robot.force_sensor.range),) * robot.joints
    first_force = 1 if settings.force_board == "head_side" else 0
    first_servo = 1 if settings.servo_board == "head_side" else 0
    on_board = dict(enumerate(calibrations, start=first_force))
    driven = dict(enumerate(servos or (), start=first_servo))
    boards = [
        LinkBoard(
            index + 1,
            physics,
            settings,
            calibration=on_board.get(index),
            sensors=sensors,
            servo=driven.get(index),
            torque_constant=robot.actuator.torque_constant,
            faults=faults,
            seed=seed,
        )
        for index, physics in enumerate(links)
    ]
    return EmulatedSpine(boards, faults)


class SlcanPort:
    """One emulated adapter on a pseudo-terminal.

    Attributes:
        path: what a host opens; it stays the same over unplug and replug.
        node: number of the adapter on the wire, 0 or less.
        lost: frames that the host has not fetched in time.
    """

    def __init__(self, spine: EmulatedSpine, path: Path, node: int) -> None:
        self.path = path
        self.node = node
        self._spine = spine
        self.lost = 0
        self.plug()

    def plug(self) -> None:
        """Appear; a plugged-in adapter has its channel closed."""
        self._terminal = Terminal(self.path)
        self.master = self._terminal.master
        self._rest = b""  # of a line whose beginning the host has
        wire = self._spine.wire
        self.adapter = SlcanAdapter(
            lambda frame, now_ns: self._spine.send(frame._replace(sender=self.node), now_ns),
            wire.counters.setdefault(self.node, ErrorCounters()),
            wire.bit_rate,
            on_close=lambda: wire.withdraw(self.node),
        )
        self.plugged = True

    def unplug(self) -> None:
        """Vanish. May be called twice."""
        if self.plugged:
            self.plugged = False
            self._terminal.close()

    def exchange(self, now_ns: int) -> None:
        """Take what the host has written, and answer."""
        with contextlib.suppress(OSError):
            self._write(self.adapter.feed(os.read(self.master, 4096), now_ns))

    def deliver(self, transmitted: Iterable[Transmission]) -> None:
        """Tell the host of the frames that others sent."""
        lines = (
            self.adapter.format(item.frame, item.end_ns)
            for item in transmitted
            if item.frame.sender != self.node
        )
        self._write(b"".join(lines))

    def flush(self) -> None:
        """Send the rest of a line that the host has begun to get, if there is one."""
        if self._rest:
            self._write(b"")

    def _write(self, lines: bytes) -> None:
        """Whole lines that the host does not fetch are lost, as in an adapter whose buffer
        overflows; a line that has begun is ended before anything else.
        """
        data = self._rest + lines
        if not data or not self.plugged:
            return
        try:
            sent = os.write(self.master, data)
        except BlockingIOError:
            sent = 0
        except OSError:
            return
        if sent == len(data):
            self._rest = b""
            return
        # nothing sent: the line that had begun before is still torn
        end = line_end(data, sent) if sent else len(self._rest)
        self._rest = data[sent:end]
        left = data[sent + len(self._rest) :]
        if left:
            self.lost += sum(left.count(mark) for mark in LINE_ENDS)
            self.adapter.note_overflow()


class SlcanServer:
    """The emulated spine behind slcan adapters on pseudo-terminals; faults concern the first one,
    the Brain's.

    Args:
        spine: boards and wire.
        adapters: number of adapters; a second one serves a logger or monitor beside the Brain.
        start_ns: from which its time counts; by default now.
        own_thread: False: whoever made it calls `turn`, when a descriptor is readable or after
            `due()` seconds.

    Attributes:
        channels: configuration strings for `boa_hardware.spine.channel`, one per adapter.
    """

    def __init__(
        self,
        spine: EmulatedSpine,
        *,
        adapters: int = 1,
        clock_ns: Callable[[], int] = time.monotonic_ns,
        start_ns: int | None = None,
        own_thread: bool = True,
    ) -> None:
        self.spine = spine
        self._clock_ns = clock_ns
        self._start_ns = clock_ns() if start_ns is None else start_ns
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="emulated spine", daemon=True)
        self._folder = PortFolder()
        self.ports = tuple(
            SlcanPort(spine, self._folder.path / f"can{number}", -number)
            for number in range(adapters)
        )
        self.channels = tuple(f"slcan:{port.path}@{spine.wire.bit_rate}" for port in self.ports)
        if own_thread:
            self._thread.start()

    def now_ns(self) -> int:
        """Time since the start."""
        return self._clock_ns() - self._start_ns

    def due(self) -> float:
        """Seconds until something is to be done: the next USB frame in which a CAN frame has ended,
        at most `IDLE`.
        """
        event = self.spine.next_event_ns()
        if event is None:
            return IDLE
        slot = -(-event // USB_FRAME_NS) * USB_FRAME_NS
        return min(IDLE, max(0.0, (slot - self.now_ns()) * 1e-9))

    @property
    def descriptors(self) -> tuple[int, ...]:
        """Source of the hosts' bytes; none while unplugged."""
        return tuple(port.master for port in self.ports if port.plugged)

    def turn(self, ready: Container[int]) -> None:
        """Hear the hosts whose descriptors are `ready`, let time pass, tell what was on the bus."""
        self._apply_faults()
        for port in self.ports:
            port.flush()
            if port.plugged and port.master in ready:
                port.exchange(self.now_ns())
        if transmitted := self.spine.run_to(self.now_ns()):
            for port in self.ports:
                port.deliver(transmitted)

    def _serve(self) -> None:
        while not self._stop.is_set():
            self.turn(readable(self.descriptors, self.due()))

    def _apply_faults(self) -> None:
        now, faults, port = self.now_ns() * 1e-9, self.spine.faults, self.ports[0]
        if faults.active("unplug", None, now):
            port.unplug()
        elif not port.plugged:
            port.plug()
        if faults.active("bus_off", None, now):
            port.adapter.bus_off = True
        port.adapter.forced_passive = faults.active("error_passive", None, now) is not None

    def close(self) -> None:
        """Stop the thread and remove the pseudo-terminals. May be called twice."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        for port in self.ports:
            port.unplug()
        self._folder.remove()
