# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The report on contacts: their forces, and the hybrid transitions between two ticks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from boa_control.controller import ContactEstimate, EstimateColumns
from boa_control.estimation.sideways_balance import Evidence, Touching
from boa_control.events import Event, EventKind
from boa_control.model.contact_set import ContactSet
from boa_control.plant import Deferred
from boa_description.arrays import Array, Flags


class ContactReport(Deferred[ContactEstimate, EstimateColumns]):
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
        evidence: Evidence | None = None,
    ) -> None:
        """Keep the data, none of which may change later, for whenever it is read.

        Args:
            share: of its force that each contact carries, shape (nc,), 0 to 1.
            force, reference: expected and feasible normal forces, shape (nc,) each, N.
            evidence: of the sensors; forces by it stand before `force`, where they are known.
        """
        self._contacts = contacts
        self._force = force
        self._reference = reference
        self._share = share
        self._evidence = evidence

    def __len__(self) -> int:
        return self._force.size

    @staticmethod
    def columns(reports: Sequence[ContactReport]) -> EstimateColumns:
        """See `Deferred`."""
        sets = [one._contacts for one in reports]
        count = np.array([contacts.contact.size for contacts in sets])
        report = np.arange(count.size).repeat(count)
        link = np.concatenate([contacts.link for contacts in sets])
        offset = np.concatenate([contacts.offset for contacts in sets])
        side = np.concatenate([contacts.side for contacts in sets])
        force = np.concatenate([one._force for one in reports])
        deviation = np.full(force.size, math.nan)
        known = [k for k, one in enumerate(reports) if one._evidence is not None]
        if known:
            # as a rule all have evidence, and the question would take a fifth of the whole time
            all_known = len(known) == len(sets)
            rows = np.arange(report.size) if all_known else np.isin(report, known).nonzero()[0]
            tick = np.searchsorted(known, report[rows])
            touching = Touching(link[rows], offset[rows], side[rows], tick)
            measured, std = _measured([reports[k]._evidence for k in known], touching)
            force[rows] = np.where(np.isnan(measured), force[rows], measured)
            deviation[rows] = np.where(np.isnan(measured), math.nan, std)
        return EstimateColumns(
            report,
            np.concatenate([contacts.post for contacts in sets]),
            link,
            offset,
            side.astype(int),
            np.maximum(force, 0.0),
            deviation,
            np.concatenate([one._reference for one in reports]),
            _established(reports),
        )


def _established(reports: Sequence[ContactReport]) -> Flags:
    """Which contacts carry fully; of two opposite ones the one that is pressed against."""
    sets = [one._contacts for one in reports]
    established: Flags = np.concatenate([one._share for one in reports]) >= 1.0
    if any(contacts.two_sided for contacts in sets):
        opposed = [
            contacts.opposed() if contacts.two_sided else np.zeros(contacts.link.size, bool)
            for contacts in sets
        ]
        pressed = np.concatenate([one._reference for one in reports]) > 0.0
        established &= pressed | ~np.concatenate(opposed)
    return established


def _measured(evidence: Sequence[Evidence | None], contacts: Touching) -> tuple[Array, Array]:
    """Forces by the sensors and standard deviations; all evidence of one law."""
    given = [one for one in evidence if one is not None]
    return given[0].balance.measure(given, contacts)


def transitions(before: ContactSet | None, now: ContactSet) -> tuple[Event, ...]:
    """Hybrid transitions between two ticks: gain, lose, and pass a contact across a joint (thesis
    3.3.2).
    """
    if (
        before is not None
        and (before.contact is now.contact or before.contact.tobytes() == now.contact.tobytes())
        and before.link.tobytes() == now.link.tobytes()
    ):
        return ()
    former, present = {} if before is None else _links(before), _links(now)
    if former == present:
        return ()
    post = _posts(now) if before is None else _posts(before) | _posts(now)
    events = [
        Event(kind=EventKind.CONTACT_GAINED, post=post[contact], link=link + 1)
        for contact, link in present.items()
        if contact not in former
    ]
    events += [
        Event(kind=EventKind.CONTACT_LOST, post=post[contact], link=link + 1)
        for contact, link in former.items()
        if contact not in present
    ]
    events += [
        Event(
            kind=EventKind.CONTACT_PASSED,
            post=post[contact],
            link=former[contact] + 1,
            to_link=link + 1,
        )
        for contact, link in present.items()
        if contact in former and former[contact] != link
    ]
    return tuple(events)


def _links(contacts: ContactSet) -> dict[int, int]:
    """The link that each contact touches."""
    return dict(zip(contacts.contact.tolist(), contacts.link.tolist(), strict=True))


def _posts(contacts: ContactSet) -> dict[int, int]:
    """The post of every contact."""
    return dict(zip(contacts.contact.tolist(), contacts.post.tolist(), strict=True))
