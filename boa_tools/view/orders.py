"""Orders that a page may give, and what becomes of them."""

from __future__ import annotations

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
)
LONGEST = 1000  # characters of an order


@dataclass(frozen=True, slots=True)
class Order:
    """One order.

    Attributes:
        name: one of `NAMES`.
        value: of `speed`, m/s.
    """

    name: str
    value: float = 0.0


def read_order(text: str | bytes) -> Order | None:
    """The order in a message of a page; None for anything else."""
    if len(text) > LONGEST:
        return None
    try:
        content = json.loads(text)
        name, value = content["order"], float(content.get("value", 0.0))
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    if name not in NAMES or not math.isfinite(value):
        return None
    return Order(name, value)


def answer(name: str, done: bool, text: str) -> dict[str, Any]:
    """The answer to an order, for the pages."""
    return {"kind": "answer", "order": name, "done": done, "text": text}
