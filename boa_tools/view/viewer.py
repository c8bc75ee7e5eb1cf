"""Web server and 3-D scene together: what a viewer's process consists of."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from boa_tools.report.interactive.packed import unpacked
from boa_tools.view.doorkeeper import Doorkeeper
from boa_tools.view.orders import Order
from boa_tools.view.scene3d import Scene3D
from boa_tools.view.web import WebView


class Viewer:
    """Takes messages of a run, or of a node, and shows them."""

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
        self._scene = Scene3D({**scenery, "path": path})
        self._web = WebView(host, port, door, scenery, self._scene.port, orders)
        self._undrawn: dict[str, Any] | None = None

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return self._web.address

    def message(self, text: str) -> None:
        """Show a snapshot, or pass anything else to the pages."""
        content = json.loads(text)
        if content["kind"] == "snapshot":
            self._web.show(text, content)
            self._undrawn = content
        else:
            self._web.tell(text)

    def draw(self) -> None:
        """Bring the newest snapshot into the 3-D scene, where somebody is there to see it."""
        if self._undrawn is not None and self._web.watched:
            self._scene.show(self._undrawn)
            self._undrawn = None

    def end(self, seconds: float) -> None:
        """Tell the pages that the run is over, give them so many seconds, and end."""
        self._web.tell(json.dumps({"kind": "end"}))
        time.sleep(seconds)
        self._web.close()
        self._scene.close()
