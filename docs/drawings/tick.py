# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One tick in docs/hoal.md: what becomes of joint angles, and which stage writes what into `Tick`.

`python docs/drawings/tick.py` writes docs/images/hoal_tick.svg.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from svg import Sheet

LEFT, WIDTH, HEIGHT = 24.0, 150.0, 58.0  # px, of the boxes
TOP, PITCH = 66.0, 86.0  # px, of the first box, and from one to the next
RIGHT = 196.0  # px, where the texts begin


class Stage(NamedTuple):
    """A stage of `HoalController.step`.

    Attributes:
        name: of the stage. by: who does it.
        angle: the part that the joint angles have in it.
        lines: fields of `Tick` that it writes, in lines of the drawing.
    """

    name: str
    by: str
    angle: str
    lines: tuple[str, ...]


STAGES = (
    Stage(
        "locate",
        "progress observer",
        "All angles together tell the place s; what is left of each is its error.",
        ("frame, state, velocity, progress, desired, gravity",),
    ),
    Stage(
        "plan",
        "map of posts",
        "From s, not from angles: which posts are beside which links.",
        ("contacts",),
    ),
    Stage(
        "engage",
        "engagement, start-up",
        "Where forces press on a body that is bent so: how far each contact may carry.",
        (
            "loads, passed_on, level, force, silent, travel,",
            "closing, resuming, missing, settling, plan",
        ),
    ),
    Stage(
        "watch",
        "supervision",
        "How far off the shape, and whether a way is made: how much of that is trusted.",
        (
            "way, stuck, expected, absent, pressed, weighing,",
            "exact, met, misled, share",
        ),
    ),
    Stage(
        "solve",
        "loops, QP",
        "Each error asks for an acceleration, as far as the contacts leave it free.",
        ("solution",),
    ),
    Stage(
        "learn",
        "friction, transmission",
        "What moved the joints less than it should is friction of the next torque.",
        (),
    ),
)


def tick() -> Sheet:
    """Stages as boxes from top to bottom, with what they write beside them."""
    bottom = TOP + PITCH * len(STAGES)
    sheet = Sheet(760, bottom + 76, "The stages of a tick of hoal and what each of them finds out")
    middle = LEFT + WIDTH / 2
    sheet.text(middle + 14, TOP - 20, "joint angles and rates, joint forces: one frame", "small")
    sheet.text(744, TOP - 20, "fields of Tick that it writes", "small torque-text", "end")
    sheet.arrow((middle, TOP - 34), (middle, TOP - 1))
    for k, stage in enumerate(STAGES):
        y = TOP + PITCH * k
        style = "main" if stage.name == "solve" else "box"
        sheet.box(LEFT, y, WIDTH, HEIGHT, [stage.name, f"~{stage.by}"], style)
        sheet.arrow((middle, y + HEIGHT), (middle, y + PITCH - 1))
        top = y + (28 if len(stage.lines) == 1 else 20 if stage.lines else 36) - 3
        sheet.text(RIGHT, top, stage.angle)
        for n, line in enumerate(stage.lines):
            sheet.text(RIGHT, top + 20 + 18 * n, line, "torque-text")
    sheet.text(middle + 14, bottom - 8, "torques of the motors", "small")
    sheet.text(LEFT, bottom + 22, "Each field is written once, by one stage.", "small")
    sheet.text(
        LEFT,
        bottom + 40,
        "With an exact map nothing is measured once the posts are held: of its fields engage then "
        "writes those",
        "small",
    )
    sheet.text(LEFT, bottom + 58, "of the start-up and the plan, watch the share.", "small")
    return sheet


def main() -> None:
    """Write the drawing."""
    path = ROOT / "docs" / "images" / "hoal_tick.svg"
    path.write_text(str(tick()), encoding="utf-8")


if __name__ == "__main__":
    main()
