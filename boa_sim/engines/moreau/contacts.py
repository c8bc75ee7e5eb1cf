# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""True contacts of the rigid engine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boa_control.plant import DeferredContacts, TruthColumns
from boa_description.arrays import Array
from boa_sim.engines.moreau.touching import Touching, each_link


class RigidContacts(DeferredContacts):
    """Contacts in one step, point by point. A point on the sphere that two links share is two
    contacts with half of the force each.
    """

    def __init__(self, touching: Touching, normal_force: Array, force: Array) -> None:
        """Keep the points with their normal forces (m,) and forces on the links (m, 3), N."""
        self._touching = touching
        self._normal_force = normal_force
        self._force = force

    @staticmethod
    def columns(reports: Sequence[RigidContacts]) -> TruthColumns:
        """See `Deferred`."""
        parts = []
        for number, report in enumerate(reports):
            point, link, share = each_link(report._touching)
            normal = report._touching.normal
            friction = report._force - report._normal_force[:, None] * normal
            parts.append(
                TruthColumns(
                    np.full(link.size, number),
                    link,
                    report._touching.obstacle[point],
                    report._touching.point[point],
                    normal[point],
                    share * report._normal_force[point],
                    share[:, None] * friction[point],
                )
            )
        every = (np.concatenate(column) for column in zip(*parts, strict=True))
        return TruthColumns(*every)
