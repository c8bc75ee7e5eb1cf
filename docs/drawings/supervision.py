# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The states of supervision in docs/hoal.md, drawn from the table of the controller.

`python docs/drawings/supervision.py` writes docs/images/hoal_supervision.svg.
"""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from svg import Sheet

from boa_control.controllers.hoal.supervision.table import (
    AHEAD,
    ANY,
    BACK,
    GO,
    LOST,
    MOVING,
    SLOW,
    STOPPED,
    TABLE,
    Row,
    State,
)
from boa_control.controllers.hoal.supervision.watch import Watch

Point = tuple[float, float]
Arrow = tuple[tuple[State, ...], State, bool]  # from which states, to which; a stop that passes
LINE = 15.0  # px


class Drawn(NamedTuple):
    """An arrow: its corners, where its first label begins, and how that is anchored."""

    way: tuple[Point, ...]
    label: Point
    anchor: str = "start"


REGIONS = {  # x, y, width, height
    ANY: (16, 34, 728, 390),
    MOVING: (32, 60, 300, 348),
    AHEAD: (48, 86, 268, 206),
}
BOXES = {
    State.GO: (70, 108, 190, 54, "~as planned"),
    State.SLOW: (70, 224, 190, 54, "~low speed, weak forces"),
    State.BACK: (70, 336, 190, 54, "~to where posts hold it"),
    State.STOPPED: (560, 84, 166, 230, "~stands, held by its posts"),
    State.LOST: (336, 520, 190, 54, "~dampers and weak springs"),
}


def arrow(row: Row) -> Arrow:
    """The arrow of a row; rows of one arrow share its states, its end and whether it passes."""
    return tuple(sorted(row.states)), row.to, row.then is Watch.rest


def key(states: frozenset[State], to: State, passes: bool = False) -> Arrow:
    return tuple(sorted(states)), to, passes


ARROWS = {
    key(GO, State.SLOW): Drawn(((84, 162), (84, 223)), (91, 188)),
    key(SLOW, State.GO): Drawn(((236, 224), (236, 163)), (243, 197)),
    key(AHEAD, State.BACK): Drawn(((110, 292), (110, 335)), (117, 322)),
    key(MOVING, State.STOPPED): Drawn(((332, 162), (559, 162)), (342, 96)),
    key(MOVING, State.STOPPED, True): Drawn(((332, 218), (559, 218)), (342, 180)),
    key(STOPPED, State.SLOW): Drawn(((560, 268), (261, 268)), (342, 246)),
    key(BACK, State.STOPPED): Drawn(((260, 363), (620, 363), (620, 315)), (342, 356)),
    key(ANY, State.LOST, True): Drawn(((350, 424), (350, 519)), (357, 442)),
    key(AHEAD, State.LOST): Drawn(((296, 292), (296, 547), (335, 547)), (288, 450), "end"),
    key(LOST, State.GO): Drawn(((336, 560), (7, 560), (7, 135), (69, 135)), (60, 553)),
    key(STOPPED, State.LOST): Drawn(((690, 314), (690, 547), (527, 547)), (682, 505), "end"),
}


def states() -> Sheet:
    """States as boxes, groups of them as regions, transitions as arrows with their guards."""
    sheet = Sheet(760, 590, "States of the supervision of hoal and what leads from one to another")
    for place in REGIONS.values():
        sheet.rectangle(*place, "region")
    for state, (*place, words) in BOXES.items():
        sheet.box(*place, [state.value, words], "main" if state is State.GO else "box")
    rows = sorted(TABLE, key=arrow)
    for which, group in groupby(rows, arrow):
        drawn = ARROWS[which]
        sheet.arrow(*drawn.way, style="torque" if which[2] else "line")
        x, y = drawn.label
        for k, row in enumerate(sorted(group, key=TABLE.index)):
            sheet.text(x, y + LINE * k, row.why, "small", drawn.anchor)
    sheet.text(28, 26, "An arrow from a dashed frame holds for every state in it.", "small")
    sheet.arrow((500, 22), (540, 22), style="torque")
    sheet.text(548, 26, "a stop that passes: it rests", "small")
    return sheet


def main() -> None:
    """Write the drawing."""
    path = ROOT / "docs" / "images" / "hoal_supervision.svg"
    path.write_text(str(states()), encoding="utf-8")


if __name__ == "__main__":
    main()
