# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The web server of the live view: pages, snapshots, orders, and the way to the 3-D scene.

It runs in a thread of its own. Whoever is slow gets fewer snapshots, never old ones; nobody waits.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import math
import secrets
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any

import viser
import websockets
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from boa_description.errors import BoaError
from boa_tools.report.template import filled
from boa_tools.view.address import LISTEN
from boa_tools.view.doorkeeper import HEADERS, Doorkeeper
from boa_tools.view.orders import Order, read_order

SCENE = "/scene/"  # followed by a key that the page knows
LIVE = "/live"
VISER_PROTOCOL = Subprotocol(f"viser-v{viser.__version__}")
HISTORY_SECONDS = 120.0
HISTORY_STEP = 0.1  # s between two remembered values
EVENTS = 300  # that a new page gets
LARGEST = 50_000_000  # bytes of a message of the scene
LARGEST_OF_PAGE = 8192  # bytes of a message of a page: an order, or how the scene is looked at
# the page around the scene says how the connection is; dark where that is
PAGE_STYLE = (
    "<style>.mantine-Notifications-root{display:none !important}"
    "@media (prefers-color-scheme: dark){body,div[style*='background-color: rgb(255, 255, 255)']"
    "{background:#1c2228!important}}</style>"
)


class WebView:
    """Pages and their connections. `orders` is called in the server's thread with each order."""

    def __init__(
        self,
        host: str,
        port: int,
        door: Doorkeeper,
        scenery: dict[str, Any],
        scene_port: int,
        orders: Callable[[Order], None],
    ) -> None:
        """Listen.

        Raises:
            BoaError: the address cannot be used.
        """
        self._host, self._port, self._door = host, port, door
        self._scene_port, self._orders = scene_port, orders
        self._scenery = scenery
        self._newest = ""
        self._kept: dict[str, str] = {}
        self._history: deque[list[float | None]] = deque(
            maxlen=round(HISTORY_SECONDS / HISTORY_STEP)
        )
        self._events: deque[tuple[float, str]] = deque(maxlen=EVENTS)
        self._clients: set[_Client] = set()
        # under another name the scene runs in a process of its own and cannot hold up the page's
        # buttons; it has no cookies there, so its address is its permission
        self._scene_path = SCENE + secrets.token_urlsafe(16)
        self._page = filled(
            "live.html",
            name=scenery["name"],
            simulated=scenery["simulated"],
            planar=scenery["robot"]["planar"],
            scene=self._scene_path[1:],
        )
        client = Path(viser.__file__).parent / "client" / "build" / "index.html"
        self._scene_page = client.read_text(encoding="utf-8").replace(
            "</head>", PAGE_STYLE + "</head>", 1
        )
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._started: threading.Event = threading.Event()
        self._problem: OSError | UnicodeError | None = None
        self._thread = threading.Thread(target=self._run, name="web view", daemon=True)
        self._thread.start()
        self._started.wait()
        if self._problem is not None:
            self._thread.join(timeout=3.0)
            raise BoaError(_no_listening(host, port, self._problem))

    @property
    def address(self) -> str:
        """The address to open in a browser."""
        return self._door.address(self._host, self._port)

    @property
    def watched(self) -> bool:
        """Whether a page is open."""
        return bool(self._clients)

    def show(self, text: str, snapshot: dict[str, Any]) -> None:
        """Hand over the newest snapshot, as text and as what is in it. Does not wait."""
        self._soon(self._show, text, snapshot)

    def tell(self, text: str) -> None:
        """Send a message to all pages: the answer to an order, the end of the run."""
        self._soon(self._tell, text)

    def keep(self, kind: str, text: str) -> None:
        """Send a message to all pages, and to those that are opened later: the newest of a kind."""
        self._soon(self._keep, kind, text)

    def close(self) -> None:
        """End the server."""
        self._soon(self._stop.set)
        self._thread.join(timeout=3.0)

    def _soon(self, call: Callable[..., object], *arguments: object) -> None:
        """Call it in the server's thread; nothing where that has ended."""
        with suppress(RuntimeError):  # its loop is closed
            self._loop.call_soon_threadsafe(call, *arguments)

    def _remember(self, snapshot: dict[str, Any]) -> None:
        now = snapshot["time"]
        last = self._history[-1][0] if self._history else None
        if last is not None and now < last:  # a new run
            self._history.clear()
            self._events.clear()
        self._events.extend(tuple(event) for event in snapshot["events"])
        if last is None or not 0 <= now - last < HISTORY_STEP:
            self._history.append(trace_point(snapshot))

    # in the server's thread, as everything that pages get: what a page is told when it is opened
    # and what it is told from then on have neither a gap nor anything twice

    def _show(self, text: str, snapshot: dict[str, Any]) -> None:
        self._newest = text
        self._remember(snapshot)
        for client in self._clients:
            client.events.extend(snapshot["events"])
            client.fresh.set()

    def _keep(self, kind: str, text: str) -> None:
        self._kept[kind] = text
        self._tell(text)

    def _tell(self, text: str) -> None:
        for client in self._clients:
            client.messages.append(text)
            client.fresh.set()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        try:
            server = await serve(
                self._handle,
                self._host,
                self._port,
                process_request=self._answer,
                select_subprotocol=lambda _, offered: next(
                    (name for name in offered if name == VISER_PROTOCOL), None
                ),
                max_size=LARGEST_OF_PAGE,
                compression=None,
                logger=_silent(),
            )
            self._port = server.sockets[0].getsockname()[1]  # chosen by the system for port 0
        except (OSError, UnicodeError) as error:  # UnicodeError: of a name that DNS cannot have
            self._problem = error
            return
        finally:
            self._started.set()
        async with server:
            await self._stop.wait()

    def _answer(self, _: ServerConnection, request: Request) -> Response | None:
        """Pages; None lets a websocket through."""
        path = request.path.partition("?")[0]
        upgrade = "websocket" in request.headers.get("Upgrade", "").lower()
        if secrets.compare_digest(path.rstrip("/").encode(), self._scene_path.encode()):
            if upgrade:
                return None
            answer = _response(HTTPStatus.OK, "text/html", self._scene_page)
            del answer.headers["Content-Security-Policy"]  # it is framed under another name
            return answer
        refusal = self._door.refusal(request.path, request.headers)
        if refusal:
            return _response(HTTPStatus.FORBIDDEN, "text/plain", f"refused: {refusal}\n")
        if upgrade and path == LIVE:
            return None
        if path in ("/", "/index.html"):
            answer = _response(HTTPStatus.OK, "text/html", self._page)
            answer.headers.update(self._door.cookies(request.path))
            return answer
        if path == "/favicon.ico":
            return _response(HTTPStatus.NO_CONTENT, "text/plain", "")
        return _response(HTTPStatus.NOT_FOUND, "text/plain", "not there\n")

    async def _handle(self, connection: ServerConnection) -> None:
        path = connection.request.path if connection.request is not None else ""
        try:
            if path.startswith(SCENE):
                await self._pass_on(connection)
            else:
                await self._live(connection)
        except websockets.ConnectionClosed:
            pass

    async def _pass_on(self, page: ServerConnection) -> None:
        """Messages between a page and the 3-D scene's own server."""
        address = f"ws://127.0.0.1:{self._scene_port}"
        async with connect(
            address, subprotocols=[VISER_PROTOCOL], max_size=LARGEST, compression=None
        ) as scene:

            async def copy(source: Any, target: Any) -> None:
                async for message in source:
                    await target.send(message)

            both = [asyncio.create_task(copy(scene, page)), asyncio.create_task(copy(page, scene))]
            try:
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in both:
                    task.cancel()
                await asyncio.gather(*both, return_exceptions=True)

    async def _live(self, connection: ServerConnection) -> None:
        hello = {
            **self._scenery,
            "history": list(self._history),
            "events": list(self._events),
        }
        client = _Client(json.dumps(hello, separators=(",", ":")), self._kept.values())
        self._clients.add(client)
        sender = asyncio.create_task(self._send_to(connection, client))
        try:
            async for message in connection:
                order = read_order(message)
                if order is not None:
                    self._orders(order)
        finally:
            self._clients.discard(client)
            sender.cancel()
            await asyncio.gather(sender, return_exceptions=True)

    async def _send_to(self, connection: ServerConnection, client: _Client) -> None:
        """Whatever is newest whenever the page has taken the last message."""
        await connection.send(client.hello)
        while True:
            await client.fresh.wait()
            client.fresh.clear()
            while client.messages:
                await connection.send(client.messages.popleft())
            if client.events:
                events = list(client.events)
                client.events.clear()
                await connection.send(json.dumps({"kind": "events", "events": events}))
            if self._newest:
                await connection.send(self._newest)


class _Client:
    """One open page; keeps no more than it may still want.

    Attributes:
        hello: what it gets first.
        fresh: there is something to send.
    """

    def __init__(self, hello: str, messages: Iterable[str]) -> None:
        self.hello = hello
        self.fresh = asyncio.Event()
        self.fresh.set()
        self.messages: deque[str] = deque(messages, maxlen=50)
        self.events: deque[Any] = deque(maxlen=EVENTS)


def trace_point(snapshot: dict[str, Any]) -> list[float | None]:
    """One point of the curves: time, speed (m/s), largest and mean contact force (N), largest
    torque (N m), largest joint force (N).
    """
    rows = snapshot["contacts"] or snapshot["estimates"]
    forces = [
        math.hypot(*row[1 + len(row) // 2 :]) if snapshot["contacts"] else row[4] or 0.0
        for row in rows
    ]
    torques = [abs(value) for value in snapshot["torque"] if value is not None]
    loads = [value for value in snapshot["joint_force"] if value is not None]
    return [
        snapshot["time"],
        snapshot["speed"],
        max(forces, default=None),
        sum(forces) / len(forces) if forces else None,
        max(torques, default=None),
        max(loads, default=None),
    ]


def _response(status: HTTPStatus, kind: str, text: str) -> Response:
    body = text.encode()
    headers = Headers({"Content-Type": f"{kind}; charset=utf-8", **HEADERS})
    if len(body) > 10_000:
        body = gzip.compress(body, 6)
        headers["Content-Encoding"] = "gzip"
    headers["Content-Length"] = str(len(body))
    return Response(status.value, status.phrase, headers, body)


def _no_listening(host: str, port: int, problem: OSError | UnicodeError) -> str:
    """Why the address cannot be used, and what helps."""
    if isinstance(problem, socket.gaierror | UnicodeError):
        return (
            f"live view: host '{host[:80]}' has no address on this machine; --listen takes "
            f"HOST:PORT, e.g. {LISTEN} or 0.0.0.0:{port}"
        )
    return (
        f"live view: cannot listen at {host}:{port} ({problem.strerror}); choose another port "
        f"with --listen"
    )


def _silent() -> Any:
    """A logger without words: refused and broken connections are no news."""
    import logging

    logger = logging.getLogger("boa.view")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    return logger
