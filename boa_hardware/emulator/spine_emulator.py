"""The emulated spine: link boards on a CAN wire, and the Brain's adapter to it.

`EmulatedSpine` is a state machine; `SlcanServer` and `BusServer` connect it with real time, to a
pseudo-terminal (as a CANable) or to any python-can bus (`virtual`, SocketCAN's vcan).
"""

from __future__ import annotations

import contextlib
import os
import select
import tempfile
import threading
import time
import tty
from collections.abc import Callable, Sequence
from pathlib import Path

import can

from boa_hardware.emulator.can_wire import CanWire, Transmission, WireFrame
from boa_hardware.emulator.link_board import LinkBoard
from boa_hardware.emulator.slcan import SlcanAdapter
from boa_hardware.emulator.spine_faults import SpineFaults
from boa_hardware.spine.protocol import Opcode, split

BRAIN = 0
TURNAROUND_NS = 100_000  # from the end of SYNC SENSOR until a board's frames are ready
USB_FRAME_NS = 1_000_000  # a full-speed USB adapter delivers at most once per millisecond


class EmulatedSpine:
    """All link boards and the wire between them. Times are ns on the emulator's clock.

    Args:
        boards: of all links.
        faults: the same object that the boards have.
        bit_rate: of the bus, bit/s.
    """

    def __init__(self, boards: Sequence[LinkBoard], faults: SpineFaults, bit_rate: int = 1_000_000) -> None:
        self.boards = tuple(boards)
        self.faults = faults
        self.wire = CanWire(bit_rate, destroyed=self._destroyed)

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
        heard = []
        for transmission in self.wire.advance(now_ns):
            heard.append(transmission)
            frame, end = transmission.frame, transmission.end_ns
            if frame.sender != BRAIN and split(frame.identifier)[0] != Opcode.PANIC:
                continue  # boards do not listen to each other's sensors
            for board in self.boards:
                for answer in board.receive(frame, end * 1e-9):
                    self.send(answer, end + TURNAROUND_NS)
        for board in self.boards:
            board.watch(now_ns * 1e-9)
        return heard

    def next_event_ns(self) -> int | None:
        """When the next frame ends; None while the bus is idle."""
        return self.wire.next_end_ns()


class _Server:
    """Runs an emulated spine in a thread until `close`."""

    def __init__(self, spine: EmulatedSpine, clock_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self.spine = spine
        self._clock_ns = clock_ns
        self._start_ns = clock_ns()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="emulated spine", daemon=True)

    def now_ns(self) -> int:
        """Time since the start."""
        return self._clock_ns() - self._start_ns

    def _serve(self) -> None:
        while not self._stop.is_set():
            self._step()

    def _step(self) -> None:
        raise NotImplementedError

    def _pause(self, idle: float) -> float:
        """Seconds until something is to be done: the next USB frame in which a CAN frame has ended, or `idle`."""
        event = self.spine.next_event_ns()
        if event is None:
            return idle
        slot = -(-event // USB_FRAME_NS) * USB_FRAME_NS
        return min(idle, max(0.0, (slot - self.now_ns()) * 1e-9))

    def close(self) -> None:
        """Stop the thread. May be called twice."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=2.0)


class SlcanServer(_Server):
    """The emulated adapter on a pseudo-terminal.

    Attributes:
        port: path to open; it stays the same over unplug and replug.
        channel: the same as a configuration string of `boa_hardware.spine.channel`.
    """

    IDLE = 0.02  # s

    def __init__(self, spine: EmulatedSpine, clock_ns: Callable[[], int] = time.monotonic_ns) -> None:
        super().__init__(spine, clock_ns)
        self._folder = tempfile.TemporaryDirectory(prefix="boa-can-")
        self.port = str(Path(self._folder.name) / "can")
        self.channel = f"slcan:{self.port}@{spine.wire.bit_rate}"
        self._adapter = self._new_adapter()
        self._master: int | None = None
        self._slave: int | None = None
        self._plug()
        self._thread.start()

    def _new_adapter(self) -> SlcanAdapter:
        wire = self.spine.wire
        return SlcanAdapter(self.spine.send, wire.counters[BRAIN], wire.bit_rate, on_close=lambda: wire.withdraw(BRAIN))

    def _plug(self) -> None:
        self._master, self._slave = os.openpty()
        tty.setraw(self._master)
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self._adapter = self._new_adapter()  # a plugged-in adapter starts closed
        Path(self.port).symlink_to(os.ttyname(self._slave))

    def _unplug(self) -> None:
        Path(self.port).unlink(missing_ok=True)
        for end in (self._master, self._slave):
            if end is not None:
                os.close(end)
        self._master = self._slave = None

    def _step(self) -> None:
        self._apply_faults()
        if self._master is None:
            self._stop.wait(self.IDLE)
            self.spine.run_to(self.now_ns())
            return
        readable, _, _ = select.select([self._master], [], [], self._pause(self.IDLE))
        output = bytearray()
        if readable:
            output += self._adapter.feed(self._read(), self.now_ns())
        for transmission in self.spine.run_to(self.now_ns()):
            if transmission.frame.sender != BRAIN:
                output += self._adapter.format(transmission.frame, transmission.end_ns)
        self._write(bytes(output))

    def _apply_faults(self) -> None:
        now = self.now_ns() * 1e-9
        faults = self.spine.faults
        unplugged = faults.active("unplug", None, now) is not None
        if unplugged and self._master is not None:
            self._unplug()
        elif not unplugged and self._master is None:
            self._plug()
        if faults.active("bus_off", None, now):
            self._adapter.bus_off = True
        self._adapter.forced_passive = faults.active("error_passive", None, now) is not None

    def _read(self) -> bytes:
        assert self._master is not None
        with contextlib.suppress(OSError):
            return os.read(self._master, 4096)
        return b""

    def _write(self, data: bytes) -> None:
        """What the host does not fetch is lost, as in an adapter whose buffer overflows."""
        if data and self._master is not None:
            with contextlib.suppress(OSError):
                os.write(self._master, data)

    def close(self) -> None:
        """Stop the thread and remove the pseudo-terminal."""
        super().close()
        self._unplug()
        self._folder.cleanup()


class BusServer(_Server):
    """The emulated boards on a python-can bus, e.g. `virtual` or SocketCAN's vcan.

    Args:
        spine: the boards and the wire.
        bus: is used by this server alone; the caller closes it after `close`.
    """

    IDLE = 0.02

    def __init__(self, spine: EmulatedSpine, bus: can.BusABC, clock_ns: Callable[[], int] = time.monotonic_ns) -> None:
        super().__init__(spine, clock_ns)
        self._bus = bus
        self._thread.start()

    def _step(self) -> None:
        frame = self._bus.recv(self._pause(self.IDLE))
        if frame is not None:
            self.spine.send(_from_can(frame), self.now_ns())
        for transmission in self.spine.run_to(self.now_ns()):
            if transmission.frame.sender != BRAIN:
                with contextlib.suppress(can.CanError):
                    self._bus.send(_to_can(transmission.frame))


def _from_can(frame: can.Message) -> WireFrame:
    return WireFrame(
        frame.arbitration_id,
        bytes(frame.data),
        extended=frame.is_extended_id,
        remote=frame.is_remote_frame,
        fd=frame.is_fd,
        length=frame.dlc if frame.is_remote_frame else 0,
    )


def _to_can(frame: WireFrame) -> can.Message:
    return can.Message(
        arbitration_id=frame.identifier,
        is_extended_id=frame.extended,
        is_remote_frame=frame.remote,
        is_fd=frame.fd,
        bitrate_switch=frame.fd,
        data=None if frame.remote else frame.data,
        dlc=frame.length if frame.remote else None,
    )
