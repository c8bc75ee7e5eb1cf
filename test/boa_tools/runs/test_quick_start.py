# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The quick start names the window library that glfw would find, and no other."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from collections.abc import Iterator

import pytest

from boa_control.priority import YOUNG, search_seldom
from boa_tools.runs.quick_start import LOADING, quick_start


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    threshold = gc.get_threshold()
    for name in ("PYGLFW_LIBRARY", "PYGLFW_LIBRARY_VARIANT", "XDG_SESSION_TYPE"):
        monkeypatch.setenv(name, "")  # so that it is as before at the end
        monkeypatch.delenv(name)
    monkeypatch.setattr(sys, "platform", "linux")
    yield
    gc.set_threshold(*threshold)


def test_garbage_is_searched_seldom_until_the_run_begins() -> None:
    others = gc.get_threshold()[1:]
    quick_start()
    assert gc.get_threshold() == (LOADING, *others)
    search_seldom()
    assert gc.get_threshold() == (YOUNG, *others)


def test_the_named_library_is_the_one_that_glfw_loads_by_itself() -> None:
    glfw = pytest.importorskip("glfw")
    quick_start()
    named = ctypes.CDLL(os.environ["PYGLFW_LIBRARY"])
    assert named.glfwGetVersionString
    assert glfw.get_version()[0] == 3


@pytest.mark.parametrize(
    ("name", "value"),
    [("PYGLFW_LIBRARY", "mine.so"), ("PYGLFW_LIBRARY_VARIANT", "wayland")],
)
def test_who_has_chosen_a_library_keeps_it(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    quick_start()
    assert os.environ.get("PYGLFW_LIBRARY") == (value if name == "PYGLFW_LIBRARY" else None)


def test_a_session_with_wayland_has_another_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_SESSION_TYPE", "wayland")
    quick_start()
    assert "PYGLFW_LIBRARY" not in os.environ
