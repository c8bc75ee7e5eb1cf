# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A search in a thread of its own: the node goes on to hear what comes."""

from __future__ import annotations

from threading import Thread

from boa_control.experiments.journey.onward import Onward
from boa_control.experiments.journey.parts import Plan
from boa_description.errors import BoaError


class CancelledError(Exception):
    """Nobody waits for the search any more."""


class BackgroundSearch(Thread):
    """The variant of `Search` that takes time; see there.

    Attributes:
        found: the result; None while it runs, or where there is none.
        reason: why there is none.
        to_go: to the goal, of what has been searched, m.
    """

    def __init__(self, plan: Plan) -> None:
        """Begin."""
        super().__init__(daemon=True)
        self._plan = plan
        self._cancelled = False
        self.found: Onward | None = None
        self.reason = ""
        self.to_go = float("nan")
        self.start()

    @property
    def running(self) -> bool:
        """Neither found nor refused yet."""
        return self.is_alive()

    def cancel(self) -> None:
        """Nobody waits for it any more; it ends with its next report."""
        self._cancelled = True

    def run(self) -> None:
        """Search until found, refused or cancelled."""
        try:
            self.found = self._plan(self._report)
        except BoaError as error:
            self.reason = str(error)
        except CancelledError:
            self.reason = "another goal has come"
        except Exception as error:
            self.reason = f"the search failed: {type(error).__name__}: {error}"
            raise

    def _report(self, to_go: float) -> None:
        self.to_go = to_go
        if self._cancelled:
            raise CancelledError
