# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A run worked out once, for metrics and plots. When the true contacts of a run close the body."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from boa_control.experiments.experiment import Experiment
from boa_control.messages.topics import SIM_CONTACTS, SIM_JOINT_STATES, SIM_ODOMETRY
from boa_control.model.reference import ReferenceTable
from boa_control.planning.checks.first_order import is_closed
from boa_description.arrays import Array, Flags
from boa_description.chain import joint_axes
from boa_description.errors import BoaError
from boa_description.link_frames import link_frames
from boa_tools.evaluation.contact_metrics import (
    NOTHING,
    Chatter,
    ContactHistory,
    chatter,
    contact_history,
    established_by_path,
    established_by_touch,
    force_errors,
    planned_obstacles,
)
from boa_tools.evaluation.free_motion import FreeMotion, free_motion
from boa_tools.evaluation.legs import Leg, counted_on, legs
from boa_tools.evaluation.map_errors import MapErrors, map_errors
from boa_tools.evaluation.path_projection import Projection, project
from boa_tools.evaluation.repeats import in_true_repeat
from boa_tools.runs.runlog import RunLog, TrueContacts, select

BATCH = 4000  # ticks tested at once


def first_order_closure(contacts: TrueContacts, ticks: int) -> Flags:
    """Whether the contacts that carry force close the body to first order, shape (ticks,)."""
    pressing = select(contacts, contacts.normal_force > 0)
    count = np.bincount(pressing.tick, minlength=ticks)
    first = np.cumsum(count) - count
    closed = np.zeros(ticks, dtype=bool)
    for start in range(0, ticks, BATCH):
        rows = slice(start, min(start + BATCH, ticks))
        width = max(int(count[rows].max()), 1)
        slot = np.arange(width)
        touching = slot < count[rows, None]
        index = np.where(touching, first[rows, None] + slot, first[rows, None])
        if not pressing.tick.size:
            continue
        index = np.minimum(index, pressing.tick.size - 1)
        closed[rows] = is_closed(pressing.point[index], pressing.normal[index], touching)
    return closed


@dataclass(frozen=True, slots=True)
class PathMotion:
    """How the robot went along its path, or its paths one after the other, whose arc lengths count
    on; from ground truth.

    Attributes:
        middle, head, last_joint, tail: projections of the middle joint, the front end of the head
            link, the last joint (between the head link and the one behind it) and the tail end.
        shape: shape (T, n_joints), phi_ref at the path coordinate of the middle joint, rad.
    """

    middle: Projection
    head: Projection
    last_joint: Projection
    tail: Projection
    shape: Array


class Analysis:
    """A run log with its experiment, and what follows from both.

    Everything is computed when first needed.
    """

    def __init__(self, log: RunLog, experiment: Experiment) -> None:
        """Take a whole run.

        Raises:
            BoaError: some of its ticks have ground truth and others lack it.
        """
        _require_truth_throughout(log)
        self.recorded = log
        self.experiment = experiment

    @cached_property
    def log(self) -> RunLog:
        """The run; where the controller was not told its start, in the numbers of the repeat it
        really started in.
        """
        path, motion = self.experiment.path, self.motion
        if not self.experiment.scenario.disturbance.unknown_start or path is None or motion is None:
            return self.recorded
        return in_true_repeat(self.recorded, path, motion.middle.s)

    @cached_property
    def window(self) -> Flags:
        """Ticks that are judged: all after the start-up, shape (T,)."""
        return self.recorded.time >= self.experiment.scenario.evaluation.settle

    @cached_property
    def motion(self) -> PathMotion | None:
        """Motion along the path; None without a path, a known start or ground truth."""
        log, experiment = self.recorded, self.experiment
        path, start = experiment.path, experiment.start_progress
        if path is None or start is None or log.truth is None or not log.ticks:
            return None
        robot = experiment.robot
        pitch, middle = robot.link.pitch, robot.links // 2
        points = joint_axes(pitch, log.truth.base, log.truth.joint_position)
        parts: list[PathMotion] = []
        for leg in self.legs:
            at = points[leg.first : leg.end]
            if parts:
                start = float(parts[-1].middle.s[-1])
            parts.append(_motion(leg, at, start + leg.shift, middle, pitch))
        return _joined(parts)

    @cached_property
    def legs(self) -> tuple[Leg, ...]:
        """The paths of the run, one after the other."""
        return legs(self.recorded, self.experiment)

    @cached_property
    def free(self) -> FreeMotion | None:
        """Motion of the centre of mass seen from above; None with a path, or without truth."""
        return free_motion(self.log, self.experiment)

    @cached_property
    def frames(self) -> Array | None:
        """Poses of all links in space, shape (T, n, 7); None in the plane and on a robot."""
        truth = self.log.truth
        if truth is None or truth.pose is None or not self.log.ticks:
            return None
        return link_frames(self.experiment.robot, truth.pose, truth.joint_position)

    @cached_property
    def map_errors(self) -> MapErrors | None:
        """Of the map as the robot has corrected it; None where it has not."""
        return map_errors(self.log, self.experiment)

    @cached_property
    def config_error(self) -> Array | None:
        """e_phi = phi - phi_ref(s) at the true path coordinate, shape (T, n_joints), rad (thesis
        6.2.3).
        """
        if self.motion is None:
            return None
        return self.log.joint_angles() - self.motion.shape

    @cached_property
    def progress(self) -> Array | None:
        """Path coordinate of the middle joint, true where known, else as the controller believes;
        (T,), m.
        """
        if self.motion is not None:
            return self.motion.middle.s
        believed = self.log.debug.get("progress_m")
        if self.experiment.path is None or believed is None or not np.isfinite(believed).any():
            return None
        return counted_on(believed, self.legs)

    @cached_property
    def contacts(self) -> ContactHistory:
        """Contacts as dense arrays; where the controller reports none, with all that the path
        plans.
        """
        motion, path = self.motion, self.experiment.path
        planned = NOTHING
        if motion is not None and path is not None and not self.log.contacts.tick.size:
            planned = planned_obstacles(path, motion.tail.s, motion.head.s)
        return contact_history(self.log, self.experiment.obstacles, planned)

    @cached_property
    def established(self) -> tuple[Flags, str]:
        """Established contacts, shape (T, K), and who says so: controller, path or touch."""
        contacts, motion, path = self.contacts, self.motion, self.experiment.path
        if contacts.force is None or contacts.established.any():
            return contacts.established, "controller"
        if motion is not None and path is not None and (contacts.obstacle >= 0).all():
            return established_by_path(
                path, motion.tail.s, motion.head.s, contacts.obstacle
            ), "path"
        return established_by_touch(contacts.force, self.experiment.control_period), "touch"

    @cached_property
    def reference(self) -> Array:
        """Reference of every contact force, shape (T, K), N: the controller's feasible one, else
        the scenario's.
        """
        given = self.experiment.scenario.evaluation.force_reference
        if not np.isfinite(self.contacts.reference).any() and given is not None:
            return np.full(self.contacts.reference.shape, given)
        return self.contacts.reference

    @cached_property
    def held(self) -> Chatter:
        """How well established contacts were held, after the start-up; unknown on a robot."""
        force, window = self.contacts.force, self.window
        if force is None:
            return Chatter(None, None, None)
        period = self.experiment.control_period
        return chatter(force[window], self.established[0][window], period)

    @cached_property
    def force_errors(self) -> tuple[Array, Array]:
        """Errors of the true contact forces and the references they belong to, after the start-up,
        both shape (M,), N.
        """
        force, window = self.contacts.force, self.window
        if force is None:
            return np.zeros(0), np.zeros(0)
        return force_errors(force[window], self.reference[window], self.established[0][window])

    @cached_property
    def closed(self) -> Flags | None:
        """Whether the true contacts give the closure the scenario needs, (T,); None if unknown."""
        evaluation, force = self.experiment.scenario.evaluation, self.contacts.force
        if force is None or self.log.true_contacts is None:
            return None
        if evaluation.closure == "contacts":
            if evaluation.required_contacts is None:
                return None
            return (force > 0).sum(axis=1) >= evaluation.required_contacts
        return first_order_closure(self.log.true_contacts, self.log.ticks)


def _require_truth_throughout(log: RunLog) -> None:
    """Raise BoaError where only some ticks have ground truth."""
    if log.truth is None:
        return
    lacking = np.flatnonzero(np.isnan(log.truth.base).any(axis=1))
    if lacking.size:
        raise BoaError(
            f"{lacking.size} of {log.ticks} ticks lack ground truth, the first at "
            f"{log.time[lacking[0]]:.3f} s: their messages on {SIM_ODOMETRY.name}, "
            f"{SIM_JOINT_STATES.name} or {SIM_CONTACTS.name} were lost; record the run again"
        )


def _motion(leg: Leg, points: Array, start: float, middle: int, pitch: float) -> PathMotion:
    """Motion on one leg.

    Args:
        points: joint axes, shape (T, n + 1, 2), m.
        start: arc length of the middle joint at the beginning, m, to within 0.5 m.
        middle: index of that axis.
    """

    def along(point: int) -> Projection:
        foot = project(leg.curve, points[:, point], start + (point - middle) * pitch)
        return Projection(foot.s - leg.shift, foot.offset)

    links = points.shape[1] - 1
    s = along(middle)
    table = ReferenceTable(leg.curve, links, pitch)
    shape = table.shapes(s.s + leg.shift)
    return PathMotion(s, along(links), along(links - 1), along(0), shape)


def _joined(parts: Sequence[PathMotion]) -> PathMotion:
    """Motion on one leg after the other."""
    if len(parts) == 1:
        return parts[0]

    def joined(of: Callable[[PathMotion], Projection]) -> Projection:
        each = [of(part) for part in parts]
        return Projection(
            np.concatenate([one.s for one in each]), np.concatenate([one.offset for one in each])
        )

    return PathMotion(
        joined(lambda part: part.middle),
        joined(lambda part: part.head),
        joined(lambda part: part.last_joint),
        joined(lambda part: part.tail),
        np.concatenate([part.shape for part in parts]),
    )
