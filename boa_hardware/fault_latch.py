# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Faults of the plant stay until they are reset."""

import re
from collections.abc import Iterable

MAX_FAULTS = 20  # the first ones tell the story
_CHANGING = re.compile(r"\d+\.\d+|\d+ ticks")  # ages and counts: the same fault a tick later


class FaultLatch:
    """Keeps the first wording of every fault, in order of appearance."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    @property
    def texts(self) -> tuple[str, ...]:
        """The latched faults."""
        return tuple(self._texts.values())

    def __bool__(self) -> bool:
        return bool(self._texts)

    def add(self, faults: Iterable[str]) -> bool:
        """Latch faults; True if these are the first ones."""
        was_clear = not self._texts
        for text in faults:
            if len(self._texts) < MAX_FAULTS:
                self._texts.setdefault(_CHANGING.sub("", text), text)
        return was_clear and bool(self._texts)

    def clear(self) -> None:
        """Forget everything."""
        self._texts.clear()
