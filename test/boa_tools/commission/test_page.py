# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Commissioning in the browser: what the page is told, and that its answers reach the step."""

from __future__ import annotations

import json
import math
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import chromium, watched

from boa_control.plant import ForceSample, SensorFrame
from boa_description.errors import BoaError
from boa_tools.commission.operator import Operator, Straighten
from boa_tools.commission.page import PageOperator, PageServer
from boa_tools.commission.session import RecordFile, commission
from boa_tools.commission.step import Outcome, corrected
from test.boa_tools.commission.emulated_bench import chain_of, emulated_bench

pytestmark = pytest.mark.realtime
PATIENCE = 60.0  # s


class Asks:
    """A step that asks everything that an operator can be asked."""

    name, summary = "buses", "asks everything"

    def run(self, bench: Any, operator: Operator, record: Any) -> Outcome:
        operator.perform(Straighten(), bench.sample)
        serial = operator.answer("serial number of joint 3", "nominal")
        agreed = operator.confirm("write it?")
        return Outcome(record, [corrected("joint 3", f"{serial} {'yes' if agreed else 'no'}")])


def post(address: str, body: bytes, **headers: str) -> Any:
    request = urllib.request.Request(address + "answer", body, headers)
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return json.load(answer)


def state(address: str) -> Any:
    with urllib.request.urlopen(address + "state", timeout=PATIENCE) as answer:
        return json.load(answer)


def commissioned(tmp_path: Path, person: Callable[[PageServer], None]) -> list[str]:
    """What is told when a person at the page answers in a thread of its own."""
    file, said = RecordFile(tmp_path / "calibration.yaml"), []
    with emulated_bench({}, chain_of(4)) as (bench, _):
        operator = PageOperator("me", (Asks(),), lambda: file.done, lambda: bench.latest)
        with PageServer("127.0.0.1", 0, operator) as server:
            thread = threading.Thread(target=person, args=(server,))
            thread.start()

            def tell(text: str) -> None:
                said.append(text)
                operator.tell(text)

            assert commission(bench, operator, (Asks(),), file, tell)
            thread.join(PATIENCE)
            assert not thread.is_alive()
    return said


def test_answers_of_the_page_reach_the_step(tmp_path: Path) -> None:
    seen = []

    def person(server: PageServer) -> None:
        for text in ("", "S 17", "yes"):
            while (now := state(server.address)["question"]) is None or now["number"] <= len(seen):
                pass
            seen.append(now)
            assert post(server.address, json.dumps({"number": 99, "text": "x"}).encode()) == {
                "taken": False
            }
            body = json.dumps({"number": now["number"], "text": text}).encode()
            assert post(server.address, body) == {"taken": True}

    said = commissioned(tmp_path, person)
    assert [one["kind"] for one in seen] == ["done", "text", "choice"]
    assert seen[0]["text"] == str(Straighten()) and seen[1]["usual"] == "nominal"
    assert any("joint 3" in line and "S 17 yes" in line for line in said)


def test_a_page_shows_the_task_and_its_buttons_work(tmp_path: Path) -> None:
    problems = []

    def person(server: PageServer) -> None:
        with chromium() as browser:
            opened = watched(browser)
            page = opened.page
            page.goto(server.address)
            page.get_by_text(str(Straighten())).wait_for()  # whatever the case of its first letter
            page.locator("#joints td").first.wait_for()  # angles of the open robot
            page.get_by_role("button", name="Done").click()
            page.get_by_role("textbox").fill("S 17")
            page.get_by_role("button", name="OK").click()
            page.get_by_role("button", name="No").click()
            page.locator(".corrected").wait_for()
            page.locator("#steps li.done").wait_for()
            problems.extend(opened.problems)

    said = commissioned(tmp_path, person)
    assert problems == []
    assert any("S 17 no" in line for line in said)


def test_strangers_and_nonsense_are_refused(tmp_path: Path) -> None:
    operator = PageOperator("me", (), tuple, lambda: None)
    with PageServer("127.0.0.1", 0, operator) as server:
        for body, headers in (
            (b'{"number": 1, "text": "x"}', {"Origin": "http://elsewhere.example"}),
            (b"x" * 5000, {}),
        ):
            with pytest.raises(urllib.error.HTTPError):
                post(server.address, body, **headers)
        for body in (b"", b"[1]", b'{"number": "x"}', b"\xff"):
            assert post(server.address, body) == {"taken": False}
        with pytest.raises(BoaError, match="--browser"):
            PageServer("127.0.0.1", int(server.address.split(":")[2].strip("/")), operator)


def test_what_is_not_measured_is_no_number() -> None:
    force = np.zeros((2, 3))
    force[0] = [3.0, 4.0, 0.0]
    force[1] = math.nan
    unknown = np.full(2, math.nan)
    angle = np.array([0.5, math.nan])
    sample = ForceSample(0, force)
    frame = SensorFrame(0, angle, unknown, unknown, sample, None, unknown, unknown)
    joints = PageOperator("me", (), tuple, lambda: frame).state()["joints"]
    assert joints == [{"angle": 28.6, "force": 5.0}, {"angle": None, "force": None}]
