# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A controller that raises, or answers with something that is no answer: one line that names the
file and line, and the end of its traceback.
"""

from __future__ import annotations

import traceback
from pathlib import Path

import numpy as np

from boa_control.controller import Controller, ControlOutput
from boa_control.plant import SensorFrame
from boa_control.safety.faults import Fault, FaultName

TRACE_LINES = 12  # of the traceback that are kept: the last ones say where


class ControllerError(Exception):
    """A controller has failed; the run cannot go on.

    Attributes:
        trace: the last lines of the traceback; empty where nothing was raised.
    """

    def __init__(self, message: str, trace: str = "") -> None:
        super().__init__(message)
        self.trace = trace

    @classmethod
    def raised(cls, error: Exception) -> ControllerError:
        """The failure of a controller that raised."""
        said = " ".join(str(error).split())
        told = f"{type(error).__name__}: {said}" if said else type(error).__name__
        last = traceback.extract_tb(error.__traceback__)[-1]
        lines = "".join(traceback.format_exception(error)).splitlines()
        return cls(
            f"{told} in {Path(last.filename).name}, line {last.lineno}; correct the controller",
            "\n".join(lines[-TRACE_LINES:]),
        )

    def fault(self) -> Fault:
        """What ends the run."""
        return Fault(FaultName.CONTROLLER, "controller", str(self))


def answer(controller: Controller, frame: SensorFrame) -> ControlOutput:
    """Step a controller.

    Raises:
        ControllerError: it raised, or gave no `ControlOutput` with a torque for each joint. Their
            values are the gate's to judge.
    """
    try:
        output = controller.step(frame)
    except Exception as error:
        raise ControllerError.raised(error) from error
    if not isinstance(output, ControlOutput):
        raise ControllerError(
            f"step returned {_told(output)}; a ControlOutput(torque=...) is wanted"
        )
    torque, joints = output.torque, frame.position.shape
    known = isinstance(torque, np.ndarray) and torque.dtype.kind == "f" and torque.shape == joints
    if not known:
        raise ControllerError(
            f"step returned a torque that is {_told(torque)}; an array of floats of shape "
            f"{joints} is wanted"
        )
    return output


def _told(value: object) -> str:
    """What a value is, in a few words."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of shape {value.shape}"
    return "None" if value is None else f"a value of type {type(value).__name__}"
