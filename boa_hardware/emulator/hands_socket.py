# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The way from another program to the hands at the emulated robot: a datagram socket in the folder
of its ports.

A message is JSON, a method of `Hands` with its arguments: {"do": "turn", "angle": 0.5,
"seconds": 2.0}. Who sends from an address of its own gets "ok", or the reason why not.
"""

import contextlib
import json
import socket
from collections.abc import Mapping
from pathlib import Path

from boa_control.plant import PlantError
from boa_hardware.emulator.hands import Hands
from boa_hardware.emulator.terminal import PortFolder

VERBS = ("bend", "turn", "shove", "hang", "release")
LONGEST = 4096  # bytes of a message
PATIENCE = 10.0  # s for an answer; an emulated robot on a busy machine takes its time


class HandsServer:
    """Takes messages when it is told that there are some.

    Attributes:
        path: of the socket. descriptor: readable when a message has come.
    """

    def __init__(self, hands: Hands) -> None:
        self._hands = hands
        self._folder = PortFolder()
        self.path = self._folder.path / "hands"
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(self.path))
        self._socket.setblocking(False)
        self.descriptor = self._socket.fileno()

    def turn(self) -> None:
        """Do what has been asked."""
        with contextlib.suppress(BlockingIOError):
            data, sender = self._socket.recvfrom(LONGEST)
            answer = self._done(data)
            if sender:
                with contextlib.suppress(OSError):
                    self._socket.sendto(answer.encode(), sender)

    def _done(self, data: bytes) -> str:
        try:
            message = json.loads(data)
            verb = message.pop("do")
            if verb not in VERBS:
                return f"unknown verb '{verb}'; one of {', '.join(VERBS)}"
            if "joints" in message:
                message["joints"] = {
                    int(joint): angle for joint, angle in message["joints"].items()
                }
            getattr(self._hands, verb)(**message)
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            return f"no message to the hands: {error!r}"
        return "ok"

    def close(self) -> None:
        """Remove the socket."""
        self._socket.close()
        self._folder.remove()


class RemoteHands:
    """`Hands` at an emulated robot of another process; use as they.

    Args:
        path: of its socket.
    """

    def __init__(self, path: str | Path) -> None:
        self._folder = PortFolder()
        self._path = str(path)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(self._folder.path / "operator"))
        self._socket.settimeout(PATIENCE)

    def bend(self, joints: Mapping[int, float], seconds: float) -> None:
        """See Hands."""
        self._ask(do="bend", joints=dict(joints), seconds=seconds)

    def turn(self, angle: float, seconds: float) -> None:
        """See Hands."""
        self._ask(do="turn", angle=angle, seconds=seconds)

    def shove(self, along: float, across: float, seconds: float) -> None:
        """See Hands."""
        self._ask(do="shove", along=along, across=across, seconds=seconds)

    def hang(self, joint: int, along: float, across: float) -> None:
        """See Hands."""
        self._ask(do="hang", joint=joint, along=along, across=across)

    def release(self) -> None:
        """See Hands."""
        self._ask(do="release")

    def _ask(self, **message: object) -> None:
        try:
            self._socket.sendto(json.dumps(message).encode(), self._path)
            answer = self._socket.recv(LONGEST).decode()
        except OSError as error:
            raise PlantError(
                f"no hands at '{self._path}': {error.strerror or error}; is `boa emulate` running?"
            ) from error
        if answer != "ok":
            raise PlantError(f"hands at '{self._path}': {answer}")
