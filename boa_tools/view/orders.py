# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Orders that a page may give, and what becomes of them."""

import json
import math
from dataclasses import dataclass
from typing import Any

NAMES = (
    "arm",
    "disarm",
    "reset_fault",
    "pause",
    "resume",
    "step",
    "reset",
    "speed",
    "stop",
    "start",
    "goal",
    "follow",
)
FARTHEST = 1000.0  # m, of a goal from the origin
LONGEST = 1000  # characters of an order


@dataclass(frozen=True, slots=True)
class Order:
    """One order.

    Attributes:
        name: one of `NAMES`.
        value: of `speed`, m/s.
        goal: of `goal`: x, y and heading, m and rad.
    """

    name: str
    value: float = 0.0
    goal: tuple[float, float, float] = (0.0, 0.0, 0.0)


def read_order(text: str | bytes) -> Order | None:
    """The order in a message of a page; None for anything else."""
    if len(text) > LONGEST:
        return None
    try:
        content = json.loads(text)
        name, value = content["order"], float(content.get("value", 0.0))
        x, y, heading = (float(content.get(key, 0.0)) for key in ("x", "y", "heading"))
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError):
        return None
    if name not in NAMES or not all(map(math.isfinite, (value, x, y, heading))):
        return None
    if max(abs(x), abs(y)) > FARTHEST:
        return None
    return Order(name, value, (x, y, heading))


def answer(name: str, done: bool, text: str) -> dict[str, Any]:
    """The answer to an order, for the pages."""
    return {"kind": "answer", "order": name, "done": done, "text": text}
