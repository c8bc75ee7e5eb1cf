# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A real browser for the tests of pages: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

PATIENCE = 240_000  # ms, for a busy machine
NAMES = ("chromium", "chromium-browser", "google-chrome")


@dataclass
class Opened:
    """A page with what went wrong in it and what it loaded.

    Attributes:
        page: Playwright's page.
        problems: console errors and uncaught exceptions.
        requests: addresses that were requested, data addresses left out.
    """

    page: Any
    problems: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@contextmanager
def chromium() -> Iterator[Any]:
    """A headless Chromium; skips the test where there is none."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("no Chromium on this machine; on Debian: apt install chromium")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program,
            timeout=PATIENCE,
            args=[
                "--no-sandbox",
                "--use-gl=angle",
                "--use-angle=swiftshader",
                "--enable-unsafe-swiftshader",
            ],
        )
        try:
            yield browser
        finally:
            browser.close()


def watched(browser: Any, **options: Any) -> Opened:
    """A new page that notes problems and requests."""
    opened = Opened(browser.new_page(**options))
    opened.page.set_default_timeout(PATIENCE)

    def note(message: Any) -> None:
        if message.type == "error":
            opened.problems.append(message.text)

    def note_request(request: Any) -> None:
        if not request.url.startswith("data:"):
            opened.requests.append(request.url)

    opened.page.on("console", note)
    opened.page.on("pageerror", lambda error: opened.problems.append(str(error)))
    opened.page.on("request", note_request)
    return opened


def settled(page: Any) -> None:
    """Waits until the script of a page has run and its charts have the width of their places.

    A chart is as wide as its place was when it was drawn, until the frame in which the place is
    measured again: whoever reads coordinates before that points at the chart beside it.
    """
    page.wait_for_selector("html[data-ready]")
    frame = "requestAnimationFrame"
    page.evaluate(f"new Promise((done) => {frame}(() => {frame}(() => {frame}(done))))")
