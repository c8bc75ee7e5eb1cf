# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A controller that raises or gives no answer is told in one line, with file and line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from boa_control.controller import ControlOutput
from boa_control.plant import SensorFrame
from boa_control.safety.controller_error import ControllerError, answer
from boa_control.safety.faults import Fault, FaultName
from test.boa_control.safety.test_frame_guard import frame


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
        answer(Law(lambda: {}["speed"]), frame())
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
    ],
)
def test_what_is_no_answer_is_named_with_what_is_wanted(given: Any, told: str) -> None:
    with pytest.raises(ControllerError) as caught:
        answer(Law(lambda: given), frame())
    assert told in str(caught.value)
    assert caught.value.trace == ""


def test_an_answer_passes_whatever_its_values() -> None:
    """Those are the gate's to judge."""
    output = ControlOutput(np.array([np.nan, 1.0, np.inf]))
    assert answer(Law(lambda: output), frame()) is output
