# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The line between a run and its viewer: whole messages, and the run never waits.

A run sends objects, which cost it least. What comes back is JSON: the viewer's process listens to a
network, and nothing that it says is ever executed.
"""

import json
import pickle
import select
import socket
from collections.abc import Mapping
from typing import Any, Self

LARGEST = 1 << 20  # bytes of a message
# whole messages with an end that can be noticed; macOS has no such sockets within a machine
KIND = getattr(socket, "SOCK_SEQPACKET", socket.SOCK_DGRAM)


class Channel:
    """One end of the line.

    Attributes:
        open: False once the other end has gone.
    """

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._end.setblocking(False)
        self._end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, LARGEST)
        self._incoming = select.poll()
        self._incoming.register(self._end, select.POLLIN)
        self.open = True

    @classmethod
    def pair(cls) -> tuple[Self, socket.socket]:
        """An end for the run, and the socket for the viewer."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, KIND)
        return cls(ours), theirs

    def send(self, message: bytes) -> bool:
        """Send a message, or drop it where there is no room; whether it was sent."""
        if not self.open:
            return False
        try:
            self._end.send(message)
        except BlockingIOError:
            return False
        except OSError:
            self.open = False
            return False
        return True

    def receive(self) -> bytes | None:
        """The next message that has come; None without one."""
        if not self.open or not self._incoming.poll(0):  # cheaper than an exception, every tick
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
        return raw

    def wait(self, seconds: float) -> bool:
        """Wait for a message; whether one has come, or the other end has gone."""
        return self.open and bool(self._incoming.poll(1000.0 * seconds))

    def send_json(self, content: Mapping[str, Any]) -> bool:
        """Send plain data, or drop it where there is no room; whether it was sent."""
        return self.send(json.dumps(content).encode())

    def receive_json(self) -> dict[str, Any] | None:
        """The next message as what JSON says; None without one."""
        message = self.receive()
        return None if message is None else json.loads(message)

    def send_object(self, content: object) -> bool:
        """Send an object to a process of our own, or drop it where there is no room; whether it was
        sent.
        """
        return self.send(pickle.dumps(content, pickle.HIGHEST_PROTOCOL))

    def receive_object(self) -> Any:
        """The next object of the process that has started this one; None without one."""
        message = self.receive()
        return None if message is None else pickle.loads(message)

    def close(self) -> None:
        """Hang up."""
        self.open = False
        self._end.close()
