"""The line between a run and its viewer: whole messages, and the run never waits."""

from __future__ import annotations

import json
import select
import socket
from typing import Any

LARGEST = 1 << 20  # bytes of a message
# whole messages with an end that can be noticed; macOS has no such sockets within a machine
KIND = getattr(socket, "SOCK_SEQPACKET", socket.SOCK_DGRAM)


class Channel:
    """One end of the line.

    Attributes:
        open: False once the other end has gone.
        dropped: messages that the other end was too slow for.
    """

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._end.setblocking(False)
        self._end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, LARGEST)
        self.open = True
        self.dropped = 0

    @classmethod
    def pair(cls) -> tuple[Channel, socket.socket]:
        """An end for the run, and the socket for the viewer."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, KIND)
        return cls(ours), theirs

    def send(self, text: str) -> None:
        """Send a message, or drop it where there is no room."""
        if not self.open:
            return
        try:
            self._end.send(text.encode())
        except BlockingIOError:
            self.dropped += 1
        except OSError:
            self.open = False

    def receive(self) -> str | None:
        """The next message that has come; None without one."""
        if not self.open:
            return None
        try:
            raw = self._end.recv(LARGEST)
        except BlockingIOError:
            return None
        except OSError:
            raw = b""
        if not raw:
            self.open = False
            return None
        return raw.decode(errors="replace")

    def wait(self, seconds: float) -> bool:
        """Wait for a message; whether one has come, or the other end has gone."""
        return self.open and bool(select.select([self._end], [], [], seconds)[0])

    def receive_json(self) -> dict[str, Any] | None:
        """The next message as what JSON says; None without one."""
        text = self.receive()
        return None if text is None else json.loads(text)

    def close(self) -> None:
        """Hang up."""
        self.open = False
        self._end.close()
