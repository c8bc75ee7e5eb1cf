# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Errors of head and shape against the path (thesis 6.2.3)."""

from boa_description.arrays import Array
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metric import further, metric, peak, rms


def head_offset(run: Analysis) -> Array | None:
    """Distance of the head from the path after the start-up, left positive, shape (T',), m."""
    return None if run.motion is None else run.motion.head.offset[run.window]


def last_joint_offset(run: Analysis) -> Array | None:
    """The same of the joint behind the head link."""
    return None if run.motion is None else run.motion.last_joint.offset[run.window]


def shape_error(run: Analysis) -> Array | None:
    """e_phi after the start-up, shape (T', n_joints), rad."""
    return None if run.config_error is None else run.config_error[run.window]


@metric("head_path_error_rms_m", "head error, rms", "mm")
def head_path_error_rms(run: Analysis) -> float | None:
    """Distance from the head to the path.

    Distance, orthogonal to the path, from the head to the path, rms. The head is the front end of
    the spine of the head link: the point of the robot that is led along the path first, and the one
    that deviates most.
    """
    return rms(head_offset(run))


@metric("head_path_error_max_m", "head error, largest", "mm")
def head_path_error_max(run: Analysis) -> float | None:
    """The largest such distance."""
    return peak(head_offset(run))


@metric("config_error_rms_rad", "shape error, rms", "deg")
def config_error_rms(run: Analysis) -> float | None:
    r"""Joint angles against those of a robot lying exactly on the path.

    $e_\varphi = \varphi - \varphi_\mathrm{ref}(s_k)$ over all joints, rms.
    $\varphi_\mathrm{ref}(s)$ are the angles of the robot lying with all joint axes exactly on the
    path (`boa_control.model.reference`). True angles where known. The shape is compared with that
    at the *true* place, so a robot that is late but well shaped has no shape error.
    """
    return rms(shape_error(run))


@metric("config_error_max_rad", "shape error, largest", "deg")
def config_error_max(run: Analysis) -> float | None:
    """The largest error of any joint."""
    return peak(shape_error(run))


@further("last_joint_path_error_rms_m", "last joint error, rms", "mm")
def last_joint_path_error_rms(run: Analysis) -> float | None:
    """Distance from the joint behind the head link to the path."""
    return rms(last_joint_offset(run))
