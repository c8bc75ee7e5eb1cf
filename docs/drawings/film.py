"""Moving pictures of runs, as in README: `python docs/drawings/film.py results/RUN FILE.webp`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image

from boa_tools.bags.recorded import find_run
from boa_tools.bags.ticks import read_run
from boa_tools.evaluation.analysis import Analysis
from boa_tools.report.picture import draw_tick, moving_camera, renderer

SIZE = (640, 360)  # pixels
RATE = 12.5  # pictures per second
SPAN = (4.0, 10.0)  # s of the run
FASTER = 1.5
QUALITY = 70


def main(source: str, file: str) -> None:
    """Write the picture; it repeats for ever."""
    run = find_run(Path(source))
    analysis = Analysis(read_run(run.bag, run.experiment), run.experiment)
    time = analysis.log.time
    ticks = np.searchsorted(time, np.arange(*SPAN, FASTER / RATE)).clip(max=time.size - 1)
    large = (2 * SIZE[0], 2 * SIZE[1])
    with renderer(analysis, moving_camera(analysis), size=large, quick=True) as scene:
        pictures = [
            Image.fromarray(draw_tick(scene, analysis, int(tick))).resize(SIZE, Image.LANCZOS)
            for tick in ticks
        ]
    first, *others = pictures
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
