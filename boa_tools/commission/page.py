# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Commissioning in the browser: a page that says what to do, shows angles and forces as they come,
and has the button for "done". The person before it is an `Operator` as the one at the terminal.
"""

import json
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, Self

from boa_control.plant import SensorFrame
from boa_description.errors import BoaError
from boa_tools.commission.operator import Task, Watch
from boa_tools.commission.step import Step
from boa_tools.report.template import filled
from boa_tools.view.address import LISTEN
from boa_tools.view.doorkeeper import HEADERS, Doorkeeper

LONGEST = 1000  # characters of an answer
POLL = 0.3  # s between two looks of a page
LAST_LOOK = 4 * POLL  # s that an ended program waits for the page to see it


@dataclass(frozen=True, slots=True)
class Question:
    """What the page asks for now.

    Attributes:
        number: counts questions; an answer carries it, so that none is given twice.
        kind: `done` has one button, `choice` two, `text` a field.
        usual: what the field holds at first.
    """

    number: int
    kind: Literal["done", "choice", "text"]
    text: str
    usual: str = ""


class PageOperator:
    """A person in front of a page. Use as a context manager.

    Args:
        name: kept in the record.
        steps: the page lists.
        done: names of those that are done.
        latest: the last sample of the robot; None where it is not open.
    """

    def __init__(
        self,
        name: str,
        steps: Sequence[Step],
        done: Callable[[], Sequence[str]],
        latest: Callable[[], SensorFrame | None],
    ) -> None:
        self.name = name
        self._steps, self._done, self._latest = steps, done, latest
        self._lines: list[str] = []
        self._question: Question | None = None
        self._asked = 0
        self._reply = ""
        self._over = False
        self._changed = threading.Condition()

    def tell(self, text: str) -> None:
        """Show a line."""
        self._lines.append(text)

    def perform(self, task: Task, watch: Watch) -> None:
        """See Operator."""
        self._ask("done", str(task))
        while self._question is not None:
            watch()

    def answer(self, question: str, usual: str) -> str:
        """See Operator."""
        return self._wait("text", question, usual).strip() or usual

    def confirm(self, question: str) -> bool:
        """See Operator."""
        return self._wait("choice", question) == "yes"

    def end(self) -> None:
        """Nothing more is asked."""
        self._over = True

    def reply(self, number: int, text: str) -> bool:
        """Take the page's answer; whether it belongs to what is asked now."""
        with self._changed:
            if self._question is None or number != self._question.number:
                return False
            self._reply, self._question = text[:LONGEST], None
            self._changed.notify_all()
            return True

    def state(self) -> dict[str, Any]:
        """What the page shows."""
        frame, question, done = self._latest(), self._question, self._done()
        return {
            "lines": list(self._lines),
            "question": None if question is None else asdict(question),
            "steps": [
                {"name": step.name, "summary": step.summary, "done": step.name in done}
                for step in self._steps
            ],
            "joints": [] if frame is None else _joints(frame),
            "over": self._over,
        }

    def _ask(self, kind: Literal["done", "choice", "text"], text: str, usual: str = "") -> None:
        with self._changed:
            self._asked += 1
            self._question = Question(self._asked, kind, text, usual)

    def _wait(self, kind: Literal["choice", "text"], text: str, usual: str = "") -> str:
        self._ask(kind, text, usual)
        with self._changed:
            self._changed.wait_for(lambda: self._question is None)
            return self._reply


def _joints(frame: SensorFrame) -> list[dict[str, float | None]]:
    """Angle, deg, and force, N, of every joint; None where it is not known."""
    angle = [math.degrees(value) for value in frame.position]
    force = [math.nan] * len(angle)
    if frame.joint_force is not None:
        force = [math.hypot(*one[:2]) for one in frame.joint_force.force]
    return [
        {"angle": _known(one, 1), "force": _known(other, 1)}
        for one, other in zip(angle, force, strict=True)
    ]


def _known(value: float, digits: int) -> float | None:
    return round(value, digits) if math.isfinite(value) else None


class PageServer:
    """Serves the page of one operator, in threads of its own. Use as a context manager.

    Attributes:
        address: to open in a browser.

    Raises:
        BoaError: the address cannot be used.
    """

    def __init__(self, host: str, port: int, operator: PageOperator) -> None:
        door = Doorkeeper.of(host)
        page = filled("commission.html", poll=round(1000 * POLL)).encode()

        class Handler(_Handler):
            parts = _Parts(door, page, operator)

        try:
            self._server = ThreadingHTTPServer((host, port), Handler)
        except (OSError, UnicodeError) as error:
            raise BoaError(
                f"cannot serve the page at {host}:{port} ({error}); give another --browser "
                f"HOST:PORT, e.g. {LISTEN}"
            ) from error
        self._operator = operator
        self.address = door.address(host, self._server.server_address[1])
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._operator.end()
        self._thread.join(LAST_LOOK)  # the page sees that all is over
        self._server.shutdown()
        self._server.server_close()


@dataclass(frozen=True, slots=True)
class _Parts:
    """What a request needs."""

    door: Doorkeeper
    page: bytes
    operator: PageOperator


class _Handler(BaseHTTPRequestHandler):
    """GET / and /state, POST /answer."""

    parts: _Parts

    def do_GET(self) -> None:
        door = self.parts.door
        if self._refused():
            return
        path = self.path.partition("?")[0]
        if path == "/":
            self._send("text/html", self.parts.page, door.cookies(self.path))
        elif path == "/state":
            self._send("application/json", json.dumps(self.parts.operator.state()).encode())
        elif path == "/favicon.ico":
            self.send_response(HTTPStatus.NO_CONTENT)
            self.end_headers()
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:
        if self._refused():
            return
        size = self.headers.get("Content-Length", "")
        if self.path != "/answer" or not size.isdecimal() or int(size) > 4 * LONGEST:
            self.send_error(HTTPStatus.BAD_REQUEST)
            return
        taken = False
        with suppress(ValueError, TypeError, KeyError):
            order = json.loads(self.rfile.read(int(size)))
            taken = self.parts.operator.reply(int(order["number"]), str(order["text"]))
        self._send("application/json", json.dumps({"taken": taken}).encode())

    def _refused(self) -> bool:
        refusal = self.parts.door.refusal(self.path, dict(self.headers.items()))
        if refusal:
            self.send_error(HTTPStatus.FORBIDDEN, explain=f"refused: {refusal}")
        return bool(refusal)

    def _send(self, kind: str, body: bytes, more: Mapping[str, str] | None = None) -> None:
        self.send_response(HTTPStatus.OK)
        headers = {
            "Content-Type": f"{kind}; charset=utf-8",
            "Content-Length": str(len(body)),
        }
        for name, value in {**HEADERS, **headers, **(more or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: requests are no news."""
