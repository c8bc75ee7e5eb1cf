# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The map as the robot has corrected it by touch."""

import numpy as np

from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metric import further


@further("map_posts_touched", "posts touched")
def touched(run: Analysis) -> int | None:
    """How many posts of the map the robot has touched, and so located.

    Posts of the last corrected map that are marked as touched.
    """
    errors = run.map_errors
    return None if errors is None else int(errors.post.size)


@further("map_error_rms_m", "map error, rms", "mm")
def error_rms(run: Analysis) -> float | None:
    """How far the corrected map is from where the posts stand.

    Root mean square distance of the posts of the map that were touched, laid on the true ones as
    well as a rigid motion can (true places from the true contacts).
    """
    errors = run.map_errors
    return None if errors is None else float(np.sqrt(np.mean(np.abs(errors.after) ** 2)))


@further("map_error_max_m", "map error, largest", "mm")
def error_max(run: Analysis) -> float | None:
    """The worst post of the corrected map.

    Largest distance of the posts of the map that were touched, laid on the true ones as well as a
    rigid motion can (true places from the true contacts).
    """
    errors = run.map_errors
    return None if errors is None else float(np.abs(errors.after).max())


@further("map_error_before_m", "map error before, largest", "mm")
def error_before(run: Analysis) -> float | None:
    """The worst of the same posts on the map as it was given.

    The same of the map as given.
    """
    errors = run.map_errors
    return None if errors is None else float(np.abs(errors.before).max())


@further("map_within_two_std", "map errors within two deviations", "%")
def within_two_std(run: Analysis) -> float | None:
    """Whether the corrected map knows how good it is: 95 % would be perfect.

    Share of the same errors, along x and along y, within two of the standard deviations that the
    corrected map gives.
    """
    errors = run.map_errors
    if errors is None:
        return None
    both = np.abs(np.stack([errors.after.real, errors.after.imag]))
    return float(np.mean(both <= 2 * errors.std))
