"""Moving pictures of runs, as in README: `python docs/drawings/film.py results/RUN FILE.webp`."""

from __future__ import annotations

import sys

import numpy as np
from stills import stills

SIZE = (640, 360)  # pixels
RATE = 12.5  # pictures per second
SPAN = (4.0, 10.0)  # s of the run
FASTER = 1.5
QUALITY = 70


def main(source: str, file: str) -> None:
    """Write the picture; it repeats for ever."""
    first, *others = stills(source, np.arange(*SPAN, FASTER / RATE).tolist(), SIZE)
    first.save(
        file,
        save_all=True,
        append_images=others,
        duration=round(1000 / RATE),
        loop=0,
        quality=QUALITY,
        method=4,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
