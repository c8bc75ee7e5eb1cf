# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A controller that raises or gives no answer is told in one line, with file and line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from boa_control.controller import ContactEstimate, ControlOutput
from boa_control.events import Event, EventKind
from boa_control.plant import SensorFrame
from boa_control.safety.controller_error import ControllerError, answer
from boa_control.safety.faults import Fault, FaultName
from test.boa_control.safety.test_frame_guard import frame

ZERO = np.zeros(3)
NOTE = Event(kind=EventKind.NOTE, note="left the wall")
CONTACT = ContactEstimate(None, 3, 0.05, 1, 2.0)


class Law:
    """Answers with what a function gives."""

    def __init__(self, gives: Callable[[], Any]) -> None:
        self._gives = gives

    def reset(self) -> None:
        """Nothing to forget."""

    def step(self, _: SensorFrame) -> Any:
        return self._gives()


def test_what_it_raised_and_where() -> None:
    with pytest.raises(ControllerError) as caught:
        answer(Law(lambda: {}["speed"]), frame(), {})
    told = str(caught.value)
    assert told.startswith("KeyError: 'speed' in test_controller_error.py, line ")
    assert "KeyError: 'speed'" in caught.value.trace.splitlines()[-1]
    fault = caught.value.fault()
    assert fault.name is FaultName.CONTROLLER
    assert Fault.of(fault.record()) == fault


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (None, "step returned None; a ControlOutput"),
        (np.zeros(3), "step returned an array of float64 of shape (3,); a ControlOutput"),
        (
            ControlOutput([0.0, 0.0, 0.0]),
            "a torque that is a value of type list; an array of floats",
        ),
        (ControlOutput(np.zeros(3, int)), "a torque that is an array of int64 of shape (3,);"),
        (ControlOutput(np.zeros(3, object)), "a torque that is an array of object"),
        (ControlOutput(np.zeros(2)), "a torque that is an array of float64 of shape (2,);"),
        (ControlOutput(ZERO, events=("left",)), "events ('left',); a tuple of Event"),
        (ControlOutput(ZERO, events=NOTE), "a tuple of Event is wanted"),
        (ControlOutput(ZERO, contacts=3), "contacts 3; a tuple of ContactEstimate"),
        (ControlOutput(ZERO, contacts=(ContactEstimate(0, 4, 0, 1, 1),)), "at links 0 to 3"),
        (ControlOutput(ZERO, debug=7), "a debug that is a value of type int; not a mapping"),
        (ControlOutput(ZERO, debug={3: 1.0}), "debug name 3; a text without brackets"),
        (ControlOutput(ZERO, debug={"a[b]": 1.0}), "debug name 'a[b]'; a text without brackets"),
        (ControlOutput(ZERO, debug={"a": "far"}), "debug['a'] is a value of type str; numbers"),
        (ControlOutput(ZERO, debug={"a": [1, [2]]}), "debug['a'] is a value of type list; numbers"),
        (ControlOutput(ZERO, debug={"b": np.zeros(3)}), "shape (3,) after (2,); it has to keep it"),
        (ControlOutput(ZERO, debug={"b": 1.0}), "shape () after (2,); it has to keep it"),
    ],
)
def test_what_is_no_answer_is_named_with_what_is_wanted(given: Any, told: str) -> None:
    with pytest.raises(ControllerError) as caught:
        answer(Law(lambda: given), frame(), {"b": (2,)})
    assert told in str(caught.value)
    assert caught.value.trace == ""


def test_an_answer_passes_whatever_its_values() -> None:
    """Those are the gate's to judge."""
    output = ControlOutput(np.array([np.nan, 1.0, np.inf]))
    assert answer(Law(lambda: output), frame(), {}) is output


def test_the_shapes_of_debug_values_are_remembered() -> None:
    """Numbers of any kind, that need not be there every time."""
    shapes = {}
    debug = {"a": 3, "b": np.float32(1), "c": [1, 2], "d": np.eye(2)}
    output = ControlOutput(ZERO, events=(NOTE,), contacts=(CONTACT,), debug=debug)
    assert answer(Law(lambda: output), frame(), shapes) is output
    assert shapes == {"a": (), "b": (), "c": (2,), "d": (2, 2)}
    answer(Law(lambda: ControlOutput(ZERO)), frame(), shapes)
    answer(Law(lambda: output), frame(), shapes)


def test_a_wrong_call_into_a_library_is_told_where_it_was_made() -> None:
    with pytest.raises(
        ControllerError, match=r"Singular matrix in test_controller_error\.py, line"
    ):
        answer(Law(lambda: np.linalg.inv(np.zeros((2, 2)))), frame(), {})
