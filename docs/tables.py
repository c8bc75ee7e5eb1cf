# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the manual says and the code knows already: `python docs/tables.py` writes it.

It stands between two marks of its page, `<!-- name: begin -->` and `<!-- name: end -->`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))

from reference.commands import commands
from reference.constants import SHARED, module_constants, room_constants
from reference.interface import actions, launch_arguments, parameters, services, topics
from reference.lists import contract, gearboxes, robots, rooms, step_page, step_pages, steps
from reference.metrics import metric_row, metric_tables
from reference.scenario_keys import controller_keys, keys_of, scenario_keys

from boa_description.gearbox import Gearbox
from boa_description.robot import Robot
from boa_hardware.servo.settings import ServoBusSettings
from boa_hardware.spine.settings import SpineSettings

Tables = dict[str, list[str]]
PAGES: dict[str, Callable[[], Tables]] = {
    "commands.md": commands,
    "scenario_keys.md": lambda: scenario_keys() | controller_keys(),
    "interface.md": lambda: topics() | services() | actions() | parameters() | launch_arguments(),
    "metrics.md": metric_tables,
    "robots.md": lambda: robots() | keys_of(Robot),
    "plants.md": contract,
    "architecture.md": rooms,
    "bringup.md": steps,
    **{page: partial(step_page, step) for page, step in step_pages().items()},
    "gearboxes.md": lambda: gearboxes() | keys_of(Gearbox),
    "servo_bus.md": lambda: keys_of(ServoBusSettings),
    "spine.md": lambda: keys_of(SpineSettings),
    "hoal_tuning.md": lambda: room_constants() | module_constants(),
}
__all__ = ["PAGES", "SHARED", "filled", "metric_row", "tables"]


def tables(pages: Iterable[str] = PAGES) -> dict[str, Tables]:
    """Page -> name of a table -> its lines."""
    return {page: PAGES[page]() for page in pages}


def filled(page: str, of: Tables) -> str:
    """The page with every table between its marks.

    Raises:
        ValueError: a table has no marks in the page.
    """
    for name, lines in of.items():
        begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        before, opened, rest = page.partition(begin)
        _, closed, after = rest.partition(end)
        if not (opened and closed):
            raise ValueError(f"the marks '{begin}' and '{end}' must be in the page")
        page = before + "\n".join((begin, *lines, end)) + after
    return page


def main() -> None:
    """Write all tables."""
    for name, of in tables().items():
        path = DOCS / name
        path.write_text(filled(path.read_text(encoding="utf-8"), of), encoding="utf-8")


if __name__ == "__main__":
    main()
