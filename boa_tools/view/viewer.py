# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Web server and 3-D scene together: what a viewer's process consists of. The viewer's own process
for `boa run --view`: `python -m boa_tools.view.viewer FD HOST PORT TOKEN`. It ends when the run
hangs up.
"""

import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from boa_description.errors import BoaError
from boa_tools.report.interactive.packed import unpacked
from boa_tools.view.channel import KIND, Channel
from boa_tools.view.doorkeeper import Doorkeeper
from boa_tools.view.orders import Order
from boa_tools.view.scene3d import Scene3D
from boa_tools.view.snapshot import Snapshot, encoded
from boa_tools.view.web import WebView

NICE = 10  # the control loop goes first
SCENERY_WAIT = 120.0  # s that the run may take to say what it is; one that has ended is noticed
LAST_WORDS = 0.5  # s that pages get for the end of the run
PATHS = {"path": "/run/path", "plan": "/run/plan"}  # kind of a message -> name in the scene
KEPT = (*PATHS, "map", "planner")


class Viewer:
    """Shows what a run or a node tells it."""

    def __init__(
        self,
        host: str,
        port: int,
        door: Doorkeeper,
        scenery: dict[str, Any],
        orders: Callable[[Order], None],
    ) -> None:
        """Serve at host and port. Raises BoaError where that is impossible."""
        path = np.reshape(unpacked(scenery["scene"]["path"]), (-1, 2))
        self._scene = Scene3D(scenery)
        self._scene.show_path(PATHS["path"], path)
        self._web = WebView(host, port, door, scenery, self._scene.port, orders)
        self._undrawn: dict[str, Any] | None = None

    @property
    def address(self) -> str:
        """The address to open in a browser."""
        return self._web.address

    def show(self, snapshot: Snapshot) -> None:
        """Show the newest instant."""
        self._undrawn = snapshot.content()
        self._web.show(encoded(self._undrawn), self._undrawn)

    def tell(self, content: Mapping[str, Any]) -> None:
        """Tell the pages something: the answer to an order, a corrected map, a path. What is in
        `KEPT` is told to pages that are opened later, too.
        """
        if content["kind"] not in KEPT:
            self._web.tell(encoded(content))
            return
        self._web.keep(content["kind"], encoded(content))
        if content["kind"] in PATHS:
            points = np.reshape(unpacked(content["path"]), (-1, 2))
            self._scene.show_path(PATHS[content["kind"]], points)

    def draw(self) -> None:
        """Bring the newest snapshot into the 3-D scene, where somebody is there to see it."""
        if self._undrawn is not None and self._web.watched:
            self._scene.show(self._undrawn)
            self._undrawn = None

    def end(self, seconds: float) -> None:
        """Tell the pages that the run is over, give them so many seconds, and end."""
        self.tell({"kind": "end"})
        time.sleep(seconds)
        self._web.close()
        self._scene.close()


def main() -> None:
    """Serve until the run hangs up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the run, which then hangs up
    os.nice(NICE)
    fd, host, port = sys.argv[1:]
    channel = Channel(socket.socket(socket.AF_UNIX, KIND, fileno=int(fd)))
    channel.wait(SCENERY_WAIT)
    scenery = channel.receive_object()
    if scenery is None:
        return

    def pass_on(order: Order) -> None:
        channel.send_json(asdict(order))

    try:
        viewer = Viewer(host, int(port), Doorkeeper.of(host), scenery, pass_on)
    except BoaError as error:
        channel.send_json({"error": str(error)})
        return
    channel.send_json({"address": viewer.address})
    while channel.open:
        channel.wait(1.0)
        while (content := channel.receive_object()) is not None:
            if isinstance(content, Snapshot):
                viewer.show(content)
            else:
                viewer.tell(content)
        viewer.draw()
    viewer.end(LAST_WORDS)


if __name__ == "__main__":
    main()
