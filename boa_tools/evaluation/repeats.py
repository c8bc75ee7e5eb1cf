# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Runs of a controller that knows its place only up to a repeat of the path, told in the numbers of
the map.

Where the path is symmetric, a controller that was not told its start cannot know, and need not,
which of several equivalent repeats it is in. Its path coordinate may then be off by whole repeats,
and its posts are those of another one. For evaluation both are moved to the repeat where the robot
really is.
"""

from dataclasses import replace

import numpy as np

from boa_control.paths.path import PlannedPath
from boa_description.arrays import Array, Integers
from boa_tools.runs.runlog import RunLog

NEAR = 0.01  # m along the path, within which a post has its counterpart in another repeat


def in_true_repeat(log: RunLog, path: PlannedPath, true_s: Array) -> RunLog:
    """Log with believed path coordinate and posts moved by whole repeats to where the robot was.

    Args:
        true_s: shape (T,), path coordinate of the middle joint, m.
    """
    believed, repeat = log.debug.get("progress_m"), path.curve.repeat
    if believed is None or repeat is None:
        return log
    known = np.isfinite(believed)
    shift = np.where(known, np.round(np.where(known, believed - true_s, 0.0) / repeat.length), 0.0)
    if not shift.any():
        return log
    contacts, per_row = log.contacts, shift[log.contacts.tick].astype(np.int64)
    obstacle = contacts.obstacle.copy()
    for turns in np.unique(per_row[per_row != 0]).tolist():
        rows = per_row == turns
        obstacle[rows] = counterparts(path, -turns * repeat.length)[obstacle[rows]]
    debug = {**log.debug, "progress_m": believed - shift * repeat.length}
    return replace(log, contacts=replace(contacts, obstacle=obstacle), debug=debug)


def counterparts(path: PlannedPath, ahead: float) -> Integers:
    """For every post of a path (by its first contact) the one that stands `ahead` (m) of it, on the
    same side if there is one there.

    Where none stands, past an end of an open path, the post itself.
    """
    s = np.array([post.s for post in path.contacts])
    side = np.array([post.side for post in path.contacts])
    apart = np.abs(s[:, None] + ahead - s[None, :])
    if path.curve.closed:
        apart = np.mod(apart, path.curve.length)
        apart = np.minimum(apart, path.curve.length - apart)
    other_side = (side[:, None] != side[None, :]) * NEAR
    nearest = np.argmin(apart + other_side, axis=1)
    exists = apart[np.arange(s.size), nearest] < NEAR
    post = np.array(path.post_of, dtype=np.int64)
    _, first = np.unique(post, return_index=True)
    return np.where(exists[first], post[nearest[first]], post[first])
