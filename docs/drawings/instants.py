"""Runs at single instants, two in a row, as in docs/spatial.md:
`python docs/drawings/instants.py FILE.png results/RUN@SECONDS ...`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from boa_tools.bags.recorded import find_run
from boa_tools.bags.ticks import read_run
from boa_tools.evaluation.analysis import Analysis
from boa_tools.report.picture import draw_tick, moving_camera, renderer

SIZE = (600, 225)  # pixels of one picture


def instant(source: str, seconds: float) -> NDArray[np.uint8]:
    """The run at this time, drawn twice as large and made smaller, shape (height, width, 3)."""
    run = find_run(Path(source))
    analysis = Analysis(read_run(run.bag, run.experiment), run.experiment)
    time = analysis.log.time
    tick = int(np.searchsorted(time, seconds).clip(max=time.size - 1))
    large = (2 * SIZE[0], 2 * SIZE[1])
    with renderer(analysis, moving_camera(analysis), size=large, quick=True) as scene:
        picture = Image.fromarray(draw_tick(scene, analysis, tick))
    return np.asarray(picture.resize(SIZE, Image.LANCZOS).convert("RGB"))


def main(file: str, *places: str) -> None:
    """Write the picture."""
    pictures = []
    for place in places:
        source, _, seconds = place.rpartition("@")
        pictures.append(instant(source, float(seconds)))
    rows = [np.hstack(pictures[k : k + 2]) for k in range(0, len(pictures) - 1, 2)]
    Image.fromarray(np.vstack(rows)).save(file, optimize=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
