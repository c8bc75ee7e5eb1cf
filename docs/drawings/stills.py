# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A recorded run at some of its times, as small pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

from boa_control.experiments.experiment import Experiment
from boa_description.errors import BoaError
from boa_description.frames import OVERHEAD_CAMERA
from boa_sim.wrong_map import arranged, unmapped
from boa_tools.bags.recorded import find_run
from boa_tools.bags.ticks import read_run
from boa_tools.evaluation.analysis import Analysis
from boa_tools.report.picture import draw_tick, moving_camera, renderer


def stills(
    source: str, times: Sequence[float], size: tuple[int, int], *, above: bool = False
) -> list[Image.Image]:
    """The run at `times`, s, each drawn twice as large as `size`, pixels, and made smaller.

    Args:
        source: results folder of the run, or its bag.
        above: show all posts from above, instead of following the robot.

    Raises:
        BoaError: there is no such run, or it ended before the first of `times`.
    """
    run = find_run(Path(source))
    log = read_run(run.bag, run.experiment)
    recorded = log.time
    if times[0] > recorded[-1]:
        raise BoaError(f"'{source}' lasts {recorded[-1]:.3f} s; nothing to show at {times[0]:g} s")
    analysis = Analysis(log, _as_it_stands(run.experiment, times[-1]))
    camera = OVERHEAD_CAMERA if above else moving_camera(analysis)
    ticks = np.searchsorted(recorded, times).clip(max=recorded.size - 1)
    large = (2 * size[0], 2 * size[1])
    with renderer(analysis, camera, size=large, quick=True) as scene:
        return [
            Image.fromarray(draw_tick(scene, analysis, int(tick))).resize(
                size, Image.Resampling.LANCZOS
            )
            for tick in ticks
        ]


def _as_it_stands(experiment: Experiment, time: float) -> Experiment:
    """The same with its posts where they stand at `time`, s, of seed 0, not where the map has
    them, and those that it lacks.
    """
    lacking = unmapped(experiment, experiment.obstacles, 0)
    posts = arranged(experiment.obstacles, lacking, experiment.scenario.disturbance, seed=0)
    return replace(experiment, obstacles=posts.standing(round(time * 1e9)))
