# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How far the corrected map is from where the posts stand."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boa_control.estimation.touched_posts import aligned
from boa_control.experiments.experiment import Experiment
from boa_control.paths.corrected_map import CorrectedPost
from boa_description.arrays import Array, Indices
from boa_description.scene import Circle
from boa_tools.runs.runlog import RunLog

FEWEST = 3  # posts; two can always be laid on each other but for their distance


class MapErrors(NamedTuple):
    """Errors of all touched posts of the map, in order of their index, shape (posts,).

    Both maps are laid on the true posts as well as a rigid motion can: nothing the robot feels
    tells of that.

    Attributes:
        post: index on the map.
        before, after: true place less that of the map, as given and as corrected, x + iy, m.
        std: that the corrected map gives, per axis, m.
    """

    post: Indices
    before: NDArray[np.complex128]
    after: NDArray[np.complex128]
    std: Array


def true_centres(log: RunLog, experiment: Experiment) -> dict[int, complex]:
    """Where the round posts stand that the robot has touched, by index on the map, x + iy, m."""
    contacts, obstacles = log.true_contacts, experiment.obstacles
    if contacts is None:
        return {}
    centres = {}
    for index in np.unique(contacts.obstacle).tolist():
        post = obstacles[index] if 0 <= index < len(obstacles) else None
        if isinstance(post, Circle):
            rows = contacts.obstacle == index
            centre = contacts.point[rows] - post.radius * contacts.normal[rows]
            x, y = np.median(centre, axis=0)
            centres[index] = complex(x, y)
    return centres


def map_errors(log: RunLog, experiment: Experiment) -> MapErrors | None:
    """Errors at the end of a run; None where no map was corrected, or too little was touched."""
    if not log.maps:
        return None
    centres = true_centres(log, experiment)
    posts: list[CorrectedPost] = [
        post
        for post in log.maps[-1].corrected.posts
        if post.kind == "touched" and post.number in centres
    ]
    if len(posts) < FEWEST:
        return None
    index = np.array([post.number for post in posts])
    true = np.array([centres[post.number] for post in posts])
    corrected = np.array([complex(post.x, post.y) for post in posts])
    given = np.array([_centre(experiment, post.number) for post in posts])
    std = np.array([post.std for post in posts])
    return MapErrors(index, true - aligned(given, true), true - aligned(corrected, true), std)


def _centre(experiment: Experiment, index: int) -> complex:
    post = experiment.obstacles[index]
    assert isinstance(post, Circle)
    return complex(post.x, post.y)
