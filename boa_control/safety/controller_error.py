# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A controller that raises, or answers with something that is no answer: one line that names the
file and line, and the end of its traceback.
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping

import numpy as np

from boa_control.controller import ContactEstimate, Controller, ControlOutput
from boa_control.events import Event
from boa_control.plant import Deferred, SensorFrame
from boa_control.safety.faults import Fault, FaultName
from boa_description.errors import raised

TRACE_LINES = 12  # of the traceback that are kept: the last ones say where
SERIES = (tuple, list)


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
        lines = "".join(traceback.format_exception(error)).splitlines()
        return cls(f"{raised(error)}; correct the controller", "\n".join(lines[-TRACE_LINES:]))

    def fault(self) -> Fault:
        """What ends the run."""
        return Fault(FaultName.CONTROLLER, "controller", str(self))


Shapes = dict[str, tuple[int, ...]]


def answer(controller: Controller, frame: SensorFrame, shapes: Shapes) -> ControlOutput:
    """Step a controller.

    Args:
        shapes: of its debug values by name, as far as there were any; the new ones are added.

    Raises:
        ControllerError: it raised, or gave no `ControlOutput` with a torque for each joint, whose
            values are the gate's to judge, or something beside it that no record can hold.
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
    _check_records(output, torque.size + 1)
    _check_debug(output, shapes)
    return output


def _check_records(output: ControlOutput, links: int) -> None:
    """Events are events, and contacts are at links that there are."""
    events, contacts = output.events, output.contacts
    if not isinstance(events, SERIES) or not all(isinstance(event, Event) for event in events):
        raise ControllerError(f"step returned events {events!r}; a tuple of Event is wanted")
    if isinstance(contacts, Deferred):
        return
    if not isinstance(contacts, SERIES) or not all(_is_contact(one, links) for one in contacts):
        raise ControllerError(
            f"step returned contacts {contacts!r}; a tuple of ContactEstimate at links 0 to "
            f"{links - 1} is wanted"
        )


def _is_contact(contact: object, links: int) -> bool:
    return isinstance(contact, ContactEstimate) and 0 <= contact.link < links


def _check_debug(output: ControlOutput, shapes: Shapes) -> None:
    """Debug values are numbers that keep their shape; every tick looks at all of them."""
    if not isinstance(output.debug, Mapping):
        raise ControllerError(f"step returned a debug that is {_told(output.debug)}; not a mapping")
    for name, value in output.debug.items():
        shape = () if type(value) is float else getattr(value, "shape", "to be seen")
        if shapes.get(name) != shape:
            shapes[name] = _judged(name, value, shapes)


def _judged(name: object, value: object, shapes: Shapes) -> tuple[int, ...]:
    """The shape of a debug value that is new or has changed."""
    if not isinstance(name, str) or "[" in name:
        raise ControllerError(f"debug name {name!r}; a text without brackets is wanted")
    try:
        shape = np.asarray(value, float).shape
    except (TypeError, ValueError):
        raise ControllerError(f"debug['{name}'] is {_told(value)}; numbers are wanted") from None
    if shapes.get(name, shape) != shape:
        raise ControllerError(
            f"debug['{name}'] has the shape {shape} after {shapes[name]}; it has to keep it"
        )
    return shape


def _told(value: object) -> str:
    """What a value is, in a few words."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of shape {value.shape}"
    return "None" if value is None else f"a value of type {type(value).__name__}"
