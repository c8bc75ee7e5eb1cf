# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""True contacts of an engine: from its points to one contact per touching link and obstacle.

True contacts over all physics steps of a tick, with the mean of their forces.

An impact is over in one step: of the instants of the ticks alone some would be missed, and the mean
force over a run would not be what changes the momentum.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boa_control.plant import DeferredContacts, TruthColumns
from boa_description.arrays import Array


class MeanContacts(DeferredContacts):
    """Contacts of steps of equal length as one report, one contact per pair of link and obstacle:
    the mean force, at its centre of pressure.
    """

    def __init__(self, steps: Sequence[DeferredContacts]) -> None:
        """Keep the contacts of at least one step, all of one class."""
        self._steps = tuple(steps)

    @staticmethod
    def columns(reports: Sequence[MeanContacts]) -> TruthColumns:
        """See `Deferred`."""
        steps = [step for report in reports for step in report._steps]
        count = [len(report._steps) for report in reports]
        points = type(steps[0]).columns(steps)
        report = np.arange(len(reports)).repeat(count)[points.report]
        share = 1.0 / np.array(count)[report]
        return merged(
            points._replace(
                report=report,
                normal_force=share * points.normal_force,
                friction=share[:, None] * points.friction,
            )
        )


class StepContacts:
    """Gathers the contacts of every step until a tick is over."""

    def __init__(self) -> None:
        self._steps: list[DeferredContacts] = []
        self._report: MeanContacts | None = None

    def add(self, contacts: DeferredContacts) -> None:
        """One more step is made."""
        if self._report is not None:
            self._steps, self._report = [], None
        self._steps.append(contacts)

    def of_tick(self) -> MeanContacts:
        """The tick is over, until `add` begins the next one."""
        if self._report is None:
            self._report = MeanContacts(self._steps)
        return self._report


def merged(points: TruthColumns) -> TruthColumns:
    """One contact for all points of a pair that press, in order of instant, link and obstacle."""
    pressing = np.lexsort((points.obstacle, points.link, points.report))
    pressing = pressing[points.normal_force[pressing] > 0]
    pair = np.column_stack(points[:3])[pressing]
    start = np.flatnonzero(np.r_[True, (pair[1:] != pair[:-1]).any(axis=1)][: len(pair)])
    result = points.select(pressing[start])
    count = np.diff(np.r_[start, len(pair)])
    several = np.flatnonzero(count > 1)
    if several.size:
        points = points.select(pressing[(count > 1).repeat(count)])
        first = np.cumsum(count[several]) - count[several]
        weight = points.normal_force[:, None]
        total = np.add.reduceat(weight * points.normal, first)
        size = np.linalg.norm(total, axis=1)
        normal = total / size[:, None]
        friction = np.add.reduceat(points.friction, first)
        result.point[several] = np.add.reduceat(weight * points.point, first)
        result.point[several] /= np.add.reduceat(weight, first)
        result.normal[several], result.normal_force[several] = normal, size
        along = (friction * normal).sum(axis=1, keepdims=True)
        result.friction[several] = friction - along * normal
    return result


def tangents(normals: Array) -> Array:
    """Normals (..., 3) turned by -90 degrees in the plane, shape (..., 3)."""
    turned = np.zeros(normals.shape)
    turned[..., 0] = normals[..., 1]
    turned[..., 1] = -normals[..., 0]
    return turned
