"""A recorded run at some of its times, as small pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from boa_tools.bags.recorded import find_run
from boa_tools.evaluation.recorded import recorded_analysis
from boa_tools.report.picture import draw_tick, moving_camera, renderer


def stills(source: str, times: Sequence[float], size: tuple[int, int]) -> list[Image.Image]:
    """The run at `times`, s, each drawn twice as large as `size`, pixels, and made smaller.

    Args:
        source: results folder of the run, or its bag.
    """
    analysis = recorded_analysis(find_run(Path(source)))
    recorded = analysis.log.time
    ticks = np.searchsorted(recorded, times).clip(max=recorded.size - 1)
    large = (2 * size[0], 2 * size[1])
    with renderer(analysis, moving_camera(analysis), size=large, quick=True) as scene:
        return [
            Image.fromarray(draw_tick(scene, analysis, int(tick))).resize(
                size, Image.Resampling.LANCZOS
            )
            for tick in ticks
        ]
