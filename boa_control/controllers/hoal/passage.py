"""Whether the body has room to bend past a post that stands in its way.

What the reference will do as long as the post is beside the body is tried beforehand: place by
place it is bent to the posts as `deformation` bends it. Where it cannot fit them all, the body
would be pressed into those that are left over.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from boa_control.controllers.hoal.bend_fit import fitted_bend
from boa_control.controllers.hoal.deformation import (
    END_ZONE,
    bending,
    flank_hold,
    kept_ends,
)
from boa_control.model.bent_schedule import BentSchedule
from boa_control.model.contact_set import ContactSet
from boa_control.model.path_model import PathModel, PathState
from boa_control.paths.path import PathObstacle
from boa_description.arrays import Array

STEP = 0.05  # m, between two places
FITS = 2  # of the bend at each, begun with that of the place before
# m, by which the bent body may overlap a post: joints and reference give way by about as much
OVERLAP = 8e-3


class Passage:
    """Tries the way past one post, a place at a time."""

    def __init__(self, model: PathModel, ends_std: Array) -> None:
        """`model`: of the chain along its path. `ends_std`: by which its ends may leave that,
        as of `deformation`, m.
        """
        self._chain = model.chain
        self._state_at = model.cursor()
        self._bending = bending(model.chain)
        self._extent = model.reference.extent
        self._ends_std = ends_std
        self.reset()

    def reset(self) -> None:
        """Nothing is tried."""
        self._places: Iterator[float] = iter(())
        self.trying = False

    def begin(
        self, schedule: BentSchedule, shift: NDArray[np.complex128], s: float, direction: int
    ) -> None:
        """Try the way on from where the middle joint is at `s`, m, for a body length.

        Args:
            schedule: contacts, with that of the post. shift: of all posts from their places, x +
                iy, shape (posts,), m. direction: 1: the head leads; -1: the tail.
        """
        beside, (start, end) = self._chain.links * self._chain.pitch, self._extent
        places = s + direction * np.arange(0.0, beside, STEP)
        self._places = iter(places[(places >= start) & (places <= end)].tolist())
        self._direction = direction
        self._schedule, self._shift = schedule, shift
        self._offsets = np.zeros(schedule.contacts)
        self._bend = np.zeros(self._chain.links + 2)
        self.trying = True

    def step(self) -> bool | None:
        """Try the next place; whether the body passes, None as long as that is not known."""
        place = next(self._places, None)
        if place is not None and self._overlap(place) <= OVERLAP:
            return None
        self.trying = False
        return place is None

    def _overlap(self, place: float) -> float:
        """By how much the bent body overlaps a post where the middle joint is at `place`, m."""
        on_path = self._state_at(place)
        for _ in range(FITS):
            state, contacts = self._bent(on_path)
            gap, _ = contacts.rows(self._chain, state, 0.0)
            ends = kept_ends(self._chain, state, self._direction, self._ends_std.size)
            closed = gap @ self._bend - contacts.clearance
            fit = fitted_bend(flank_hold(contacts), gap, ends, closed, self._ends_std)
            self._bend = fit.bend(fit.joints)
        _, contacts = self._bent(on_path)
        return float(-contacts.clearance.min(where=contacts.inside > END_ZONE, initial=0.0))

    def _bent(self, on_path: PathState) -> tuple[PathState, ContactSet]:
        state = self._bending(on_path, self._bend)
        return state, self._schedule.at(state, 0.0, self._offsets, self._shift)


def free_width(
    contact: PathObstacle,
    place: complex,
    others: NDArray[np.complex128],
    radii: Array,
    sides: Array,
) -> float:
    """Narrowest way between a post and those of the other side, m; infinite where there are none.

    Args:
        contact: of the body with the post, which stands at `place`, x + iy, m.
        others, radii, sides: of posts beside the body, shape (k,): x + iy and radius, m; side of
            the body, 1 left, -1 right.
    """
    facing = sides != contact.side
    apart = np.abs(others[facing] - place) - radii[facing] - contact.radius
    return float(apart.min(initial=np.inf))
