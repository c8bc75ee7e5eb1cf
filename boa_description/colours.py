# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One meaning per colour: in plots, pages, films, bags, RViz and Foxglove. After Okabe and Ito:
colour-blind eyes can tell them apart.

Pages name the same colours in `boa_tools/report/base.html`, with lighter ones on dark screens; a
test compares them.
"""

RGB = tuple[float, float, float]

TRUE_FORCE = "#D55E00"  # of posts and floor on the robot, where a simulation knows them
LIT_FORCE = "#CC0538"  # the same in rendered pictures: in their light it is apart from the head
ESTIMATED_FORCE = "#009E73"  # of posts, as the controller estimates them
JOINT_FORCE = "#CC79A7"  # as the sensors of the joints measure them
PATH = "#0072B2"  # to be travelled; a plan is lighter
PLAN = "#56B4E9"
POST = "#B8BEC6"  # as mapped
CORRECTED_POST = "#0072B2"  # as the robot has touched it
UNMAPPED_POST = "#D91A26"  # touched, and not on the map
LIMIT = "#D55E00"  # limits, losses, faults


def rgb(colour: str) -> RGB:
    """Red, green and blue, 0 to 1, of a colour as in CSS."""
    red, green, blue = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return red, green, blue


def bytes_of(colour: str) -> tuple[int, int, int]:
    """The same, 0 to 255."""
    red, green, blue = (round(255 * part) for part in rgb(colour))
    return red, green, blue
