# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Moving pictures of runs, as in README: `python docs/drawings/film.py results/RUN FILE.webp`."""

from __future__ import annotations

import argparse

import numpy as np
from stills import stills

from boa_description.errors import BoaError

SIZE = (640, 360)  # pixels
RATE = 12.5  # pictures per second
QUALITY = 70


def main() -> None:
    """Write the picture; it repeats for ever."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", help="results folder of a run, or its bag")
    parser.add_argument("file", help="to write, .webp")
    parser.add_argument("--begin", type=float, default=4.0, help="s of the run")
    parser.add_argument("--end", type=float, default=10.0, help="s of the run")
    parser.add_argument("--faster", type=float, default=1.5, help="than the robot")
    parser.add_argument("--above", action="store_true", help="all posts, from above")
    given = parser.parse_args()
    if not (given.begin < given.end and given.faster > 0):
        parser.error(
            f"nothing to show from {given.begin:g} to {given.end:g} s, {given.faster:g} times as "
            f"fast; --end has to be after --begin, and --faster above 0"
        )
    times = np.arange(given.begin, given.end, given.faster / RATE).tolist()
    try:
        first, *others = stills(given.run, times, SIZE, above=given.above)
    except BoaError as error:
        parser.error(str(error))
    first.save(
        given.file,
        save_all=True,
        append_images=others,
        duration=round(1000 / RATE),
        loop=0,
        quality=QUALITY,
        method=4,
    )


if __name__ == "__main__":
    main()
