# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which posts a bent chain touches, where they are believed to stand off the map."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boa_control.compiled.chain import assumed_touches
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.contact_set import ContactSet
from boa_control.model.path_model import PathState
from boa_control.paths.path import PathContact
from boa_description.arrays import Array


class BentSchedule:
    """A `ContactSchedule` for a chain beside its path, posts beside their places in the map."""

    def __init__(self, schedule: ContactSchedule, pitch: float) -> None:
        """`pitch`: of the links, m."""
        self._schedule = schedule
        self._pitch = pitch

    @property
    def contacts(self) -> int:
        """Number of contacts of the whole path."""
        return len(self._schedule.positions)

    @property
    def towards(self) -> NDArray[np.complex128]:
        """As of `ContactSchedule`."""
        return self._schedule.towards

    def with_contact(self, contact: PathContact, post: int) -> BentSchedule:
        """As of `ContactSchedule`."""
        return BentSchedule(self._schedule.with_contact(contact, post), self._pitch)

    def at(
        self,
        state: PathState,
        beyond: float,
        offsets: Array,
        shifts: NDArray[np.complex128] | None = None,
    ) -> ContactSet:
        """The contacts at the state's path coordinate.

        Args:
            state: of the bent chain.
            beyond: m from the ends of the body, up to which posts count.
            offsets: of all contacts from their places in the map along the normals of the path, m,
                positive towards it.
            shifts: of all posts from their places in the map before that, x + iy, world, m;
                0 where it is not known. None: of none.
        """
        near = self._schedule.near(state, beyond)
        count = near.s.size
        link, normal, places = np.empty(count, int), np.empty((count, 2)), np.empty((4, count))
        assumed_touches(
            (link, normal, places),
            (state.axes, state.along, state.sigma, self._pitch),
            (near.s, near.side, near.centre, near.towards, near.contact, near.post),
            offsets,
            np.zeros(near.post.max(initial=0) + 1, complex) if shifts is None else shifts,
            near.turned,
            beyond,
            self._schedule.ramp,
        )
        return near.touched(link, normal, places)
