# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The map as the robot has corrected it by touch."""

import numpy as np

from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metric import further


def touched(run: Analysis) -> int | None:
    """Posts of the map that the errors are of."""
    errors = run.map_errors
    return None if errors is None else int(errors.post.size)


def error_rms(run: Analysis) -> float | None:
    """Root mean square distance of the corrected posts from the true ones."""
    errors = run.map_errors
    return None if errors is None else float(np.sqrt(np.mean(np.abs(errors.after) ** 2)))


def error_max(run: Analysis) -> float | None:
    """Largest distance of a corrected post from the true one."""
    errors = run.map_errors
    return None if errors is None else float(np.abs(errors.after).max())


def error_before(run: Analysis) -> float | None:
    """Largest distance of a post of the map as given from the true one."""
    errors = run.map_errors
    return None if errors is None else float(np.abs(errors.before).max())


def within_two_std(run: Analysis) -> float | None:
    """Share of errors, per axis, within two of the standard deviations that the map gives."""
    errors = run.map_errors
    if errors is None:
        return None
    both = np.abs(np.stack([errors.after.real, errors.after.imag]))
    return float(np.mean(both <= 2 * errors.std))


LAID = (
    "the posts of the map that were touched, laid on the true ones as well as a rigid motion can "
    "(true places from the true contacts)"
)

METRICS = (
    further(
        "map_posts_touched",
        "posts touched",
        1,
        "",
        "How many posts of the map the robot has touched, and so located.",
        touched,
        "posts of the last corrected map that are marked as touched",
    ),
    further(
        "map_error_rms_m",
        "map error, rms",
        1e3,
        "mm",
        "How far the corrected map is from where the posts stand.",
        error_rms,
        f"root mean square distance of {LAID}",
    ),
    further(
        "map_error_max_m",
        "map error, largest",
        1e3,
        "mm",
        "The worst post of the corrected map.",
        error_max,
        f"largest distance of {LAID}",
    ),
    further(
        "map_error_before_m",
        "map error before, largest",
        1e3,
        "mm",
        "The worst of the same posts on the map as it was given.",
        error_before,
        "the same of the map as given",
    ),
    further(
        "map_within_two_std",
        "map errors within two deviations",
        100,
        "%",
        "Whether the corrected map knows how good it is: 95 % would be perfect.",
        within_two_std,
        "share of the same errors, along x and along y, within two of the standard deviations "
        "that the corrected map gives",
    ),
)
