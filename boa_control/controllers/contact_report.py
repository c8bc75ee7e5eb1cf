"""The report on contacts: their forces, and the hybrid transitions between two ticks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import overload

import numpy as np

from boa_control.controller import ContactEstimate
from boa_control.model.contact_set import ContactSet
from boa_description.arrays import Array

Measurement = tuple[Array, Array]


class ContactReport(Sequence[ContactEstimate]):
    """Contacts with their forces for a controller's output, put together when they are read:
    torques go out first.

    Of two opposite posts only the one that carries counts as established.
    """

    def __init__(
        self,
        contacts: ContactSet,
        share: Array,
        force: Array,
        reference: Array,
        measure: Callable[[], Measurement | None] = lambda: None,
    ) -> None:
        """Keep the data, none of which may change later, for whenever it is read.

        Args:
            share: of its force that each contact carries, shape (nc,), 0 to 1.
            force, reference: expected and feasible normal forces, shape (nc,) each, N.
            measure: gives forces by the sensors and their standard deviations, shape (nc,) each, N,
                or None without sensors; they stand before `force`, where they are not NaN.
        """
        self._contacts = contacts
        self._force = force
        self._reference = reference
        self._share = share
        self._measure = measure

    def __len__(self) -> int:
        return self._force.size

    @overload
    def __getitem__(self, index: int) -> ContactEstimate: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[ContactEstimate, ...]: ...
    def __getitem__(self, index: int | slice) -> ContactEstimate | tuple[ContactEstimate, ...]:
        return self._all[index]

    def __iter__(self) -> Iterator[ContactEstimate]:
        return iter(self._all)

    @cached_property
    def _all(self) -> tuple[ContactEstimate, ...]:
        contacts, reference = self._contacts, self._reference
        established = self._share >= 1.0
        if contacts.two_sided:
            established &= (reference > 0.0) | ~contacts.opposed()
        force, deviation = self._force, np.full(len(self), math.nan)
        measurement = self._measure()
        if measurement is not None:
            measured, std = measurement
            known = ~np.isnan(measured)
            force, deviation = np.where(known, measured, force), np.where(known, std, deviation)
        columns = (
            contacts.post.tolist(),
            contacts.link.tolist(),
            contacts.offset.tolist(),
            map(int, contacts.side.tolist()),
            np.maximum(force, 0.0).tolist(),
            deviation.tolist(),
            reference.tolist(),
            established.tolist(),
        )
        return tuple(map(ContactEstimate, *columns))


def transitions(before: ContactSet | None, now: ContactSet) -> tuple[str, ...]:
    """Hybrid transitions between two ticks: gain, lose, and pass a contact across a joint (thesis
    3.3.2).
    """
    if (
        before is not None
        and before.post is now.post
        and before.link.tobytes() == now.link.tobytes()
    ):
        return ()
    before_links = (
        {} if before is None else dict(zip(before.post.tolist(), before.link.tolist(), strict=True))
    )
    now_links = dict(zip(now.post.tolist(), now.link.tolist(), strict=True))
    if before_links == now_links:
        return ()
    events = [
        f"gain obstacle {post} link {link + 1}"
        for post, link in now_links.items()
        if post not in before_links
    ]
    events += [
        f"lose obstacle {post} link {link + 1}"
        for post, link in before_links.items()
        if post not in now_links
    ]
    events += [
        f"pass obstacle {post} link {before_links[post] + 1} to {link + 1}"
        for post, link in now_links.items()
        if post in before_links and before_links[post] != link
    ]
    return tuple(events)
