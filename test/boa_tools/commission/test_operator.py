# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A person at the terminal."""

from __future__ import annotations

import os
import sys

import pytest

from boa_tools.commission.operator import StandClear, TerminalOperator


def test_a_key_pressed_twice_does_not_let_the_robot_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second press is of the task before: only one that comes while the robot is watched
    counts.
    """
    keyboard, terminal = os.openpty()
    os.write(keyboard, b"\n\n")
    watched = []

    def watch() -> float:
        watched.append(0)
        if len(watched) == 3:
            os.write(keyboard, b"\n")
        return 0.0

    with os.fdopen(terminal, encoding="utf-8") as typed:
        monkeypatch.setattr(sys, "stdin", typed)
        TerminalOperator("me").perform(StandClear("all joints move"), watch)
    os.close(keyboard)
    assert len(watched) >= 3
