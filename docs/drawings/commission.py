# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The page of `boa commission --browser` at every step: `python docs/drawings/commission.py`.

Chromium presses the buttons, and the scripted hands of an emulated robot do what the page asks for,
as a person would. It takes four minutes, in real time. Needs Chromium and playwright.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import yaml
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from boa_hardware.emulator.hands_socket import RemoteHands
from boa_tools.commission.operator import (
    Bend,
    Hang,
    ScriptedOperator,
    Shove,
    StandClear,
    Straighten,
    Task,
    Turn,
    Unload,
)
from boa_tools.commission.steps.forces import USUAL_WEIGHT
from boa_tools.commission.table import STEPS

IMAGES = Path(__file__).parents[1] / "images"
WIDTH, HEIGHT = 880, 1040  # pixels
COLOURS = 48
JOINTS = 12
PATIENCE = 120.0  # s for whatever comes next on the page
SHARED_ID = {"servos": [{"joint": 5, "id": 6}]}
# everything that a record corrects
CORRECTED = {
    "servos": [
        {"joint": 3, "turned": 0.17},
        {"joint": 5, "reversed": True},
        {"joint": 8, "id": 9},
        {"joint": 9, "id": 8},
    ],
    "forces": [{"joint": 6, "scale": -1.0, "zero": [4.0, -3.0]}],
}
TASKS: tuple[Task, ...] = (
    Straighten(),
    Turn(),
    Unload(),
    *(Shove(across) for across in (False, True)),
    *(Bend(joint) for joint in range(1, JOINTS + 1)),
    *(Hang(joint, USUAL_WEIGHT, axis) for joint in range(1, JOINTS + 1) for axis in (False, True)),
)
BY_TEXT = {str(task): task for task in TASKS}


@contextmanager
def commissioned(wiring: Mapping[str, Any], page: Page) -> Iterator[RemoteHands]:
    """The page, open, of a robot that is wired so, and the hands at the robot."""
    with tempfile.TemporaryDirectory() as folder:
        wrong = Path(folder) / "wiring.yaml"
        wrong.write_text(yaml.safe_dump(dict(wiring)), encoding="utf-8")
        with _boa("emulate", "--wiring", str(wrong)) as robot:
            port, channel, told = (_line(robot) for _ in range(3))
            hands = RemoteHands(told.split("hands at ")[1].split(";")[0])
            record = str(Path(folder) / "calibration.yaml")
            where = ("--port", port, "--can", channel, "--record", record, "--operator", "me")
            with _boa("commission", *where, "--browser") as program:
                page.goto(_line(program).removeprefix("open "))
                yield hands


@contextmanager
def _boa(*command: str) -> Iterator[subprocess.Popen[str]]:
    program = [sys.executable, "-m", "boa_tools.cli", *command]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.terminate()


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def drive(page: Page, hands: RemoteHands) -> None:
    """Do what the page asks for, to its end; a picture at the first question of every step."""
    operator, answered, taken = ScriptedOperator(hands, JOINTS), 0, set()
    while not (state := page.evaluate("fetch('state').then((it) => it.json())"))["over"]:
        question = state["question"]
        if question is None or question["number"] <= answered:
            time.sleep(0.1)
            continue
        answered = question["number"]
        page.wait_for_function(f"shown === {answered}")
        step = next(step["name"] for step in state["steps"] if not step["done"])
        if question["kind"] != "text" and step not in taken:
            taken.add(step)
            page.locator("#joints td").first.wait_for()
            picture(page, step)
        task = BY_TEXT.get(question["text"], StandClear(""))
        if isinstance(task, Hang):  # a person pulls until the button is pressed
            pull = (0.0, task.newton) if task.across else (task.newton, 0.0)
            hands.hang(task.joint - 1, *pull)
            time.sleep(0.8)
        elif question["kind"] == "done":
            operator.perform(task, lambda: (time.sleep(0.01), time.monotonic())[1])
        page.get_by_role("button").first.click()
        if isinstance(task, Hang):
            page.wait_for_function(f"shown !== {answered}")
            hands.hang(task.joint - 1, 0.0, 0.0)


def picture(page: Page, step: str) -> None:
    """What the page shows now, as a small file."""
    shot = Image.open(BytesIO(page.screenshot(full_page=True))).convert("RGB")
    shot.quantize(COLOURS, dither=Image.Dither.NONE).save(
        IMAGES / f"commission_{step}.png", optimize=True
    )


def main() -> None:
    """All pictures."""
    program = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.set_default_timeout(PATIENCE * 1e3)
        with commissioned(SHARED_ID, page):
            page.locator(".WRONG").first.wait_for()
            picture(page, STEPS[0].name)
        with commissioned(CORRECTED, page) as hands:
            drive(page, hands)
            page.wait_for_function("over")
        browser.close()


if __name__ == "__main__":
    main()
