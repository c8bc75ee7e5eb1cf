# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The interface of what does the runs: processes on this machine, or a cluster."""

from __future__ import annotations

from typing import Protocol

from boa_tools.sweeps.task import Result, Task

TRIES = 2  # of a run whose worker died


class Workers(Protocol):
    """Takes tasks and gives their results as they end, in any order. A task whose worker dies is
    tried again by the workers themselves, so the caller gets one result for each.
    """

    @property
    def slots(self) -> int:
        """Runs that can go on at the same time; may change."""

    def submit(self, task: Task) -> None:
        """Start a task. At most `slots` at a time."""

    def poll(self, timeout: float) -> tuple[Task, Result] | None:
        """The next result; None when none has come within `timeout`, s."""

    def close(self) -> None:
        """End all runs at once."""
