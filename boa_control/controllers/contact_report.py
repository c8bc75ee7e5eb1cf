"""The report on contacts: their forces, and the hybrid transitions between two ticks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple, overload

import numpy as np

from boa_control.controller import ContactEstimate
from boa_control.estimation.sideways_balance import Place, SidewaysBalance, Touching
from boa_control.model.contact_set import ContactSet
from boa_description.arrays import Array, Flags, Indices


class Evidence(NamedTuple):
    """The sensors' part of a report: what was measured where, and the law that makes contact
    forces of it. Its data never change.
    """

    balance: SidewaysBalance
    place: Place


class EstimateColumns(NamedTuple):
    """Contacts of many reports as columns of shape (R,), named as in `ContactEstimate`.

    Attributes:
        report: index of the report that each contact belongs to.
    """

    report: Indices
    obstacle: Indices
    link: Indices
    offset: Array
    side: Array
    force: Array
    force_std: Array
    reference: Array
    established: Flags


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
        self._read: tuple[ContactEstimate, ...] | None = None

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

    @property
    def _all(self) -> tuple[ContactEstimate, ...]:
        if self._read is None:
            ContactReport.read((self,))
            assert self._read is not None
        return self._read

    @staticmethod
    def read(reports: Sequence[ContactReport]) -> None:
        """Put many reports together at once, before they are read one by one."""
        columns = ContactReport.columns(reports)
        given = list(map(ContactEstimate, *(column.tolist() for column in columns[1:])))
        ends = np.cumsum([len(report) for report in reports]).tolist()
        for report, end in zip(reports, ends, strict=True):
            report._read = tuple(given[end - len(report) : end])

    def _established(self) -> Flags:
        established: Flags = self._share >= 1.0
        if self._contacts.two_sided:
            established &= (self._reference > 0.0) | ~self._contacts.opposed()
        return established

    @staticmethod
    def columns(reports: Sequence[ContactReport]) -> EstimateColumns:
        """The contacts of many reports at once, which takes a small part of the time."""
        sets = [one._contacts for one in reports]
        count = np.array([contacts.post.size for contacts in sets])
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
            np.concatenate([contacts.obstacle for contacts in sets]),
            link,
            offset,
            side.astype(int),
            np.maximum(force, 0.0),
            deviation,
            np.concatenate([one._reference for one in reports]),
            np.concatenate([one._established() for one in reports]),
        )


def _measured(evidence: Sequence[Evidence | None], contacts: Touching) -> tuple[Array, Array]:
    """Forces by the sensors and standard deviations; all evidence of one law."""
    given = [one for one in evidence if one is not None]
    return given[0].balance.measure([one.place for one in given], contacts)


def read_estimates(reports: Sequence[Sequence[ContactEstimate]]) -> None:
    """Put the contacts of many controller outputs together at once, for who then reads them one by
    one.
    """
    given = [one for one in reports if isinstance(one, ContactReport)]
    if given:
        ContactReport.read(given)


def estimate_columns(reports: Sequence[Sequence[ContactEstimate]]) -> EstimateColumns:
    """The contacts of many controller outputs as columns; an obstacle that is None becomes -1."""
    if reports and all(isinstance(one, ContactReport) for one in reports):
        return ContactReport.columns([one for one in reports if isinstance(one, ContactReport)])
    rows = [
        (k, -1 if one.obstacle is None else one.obstacle, *one[1:])
        for k, contacts in enumerate(reports)
        for one in contacts
    ]
    table = np.array(rows, dtype=np.float64).reshape(-1, len(EstimateColumns._fields)).T
    report, obstacle, link, offset, side, force, force_std, reference, established = table
    return EstimateColumns(
        report.astype(int),
        obstacle.astype(int),
        link.astype(int),
        offset,
        side.astype(int),
        force,
        force_std,
        reference,
        established != 0,
    )


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
    name = _obstacles(now) if before is None else _obstacles(before) | _obstacles(now)
    events = [
        f"gain obstacle {name[post]} link {link + 1}"
        for post, link in now_links.items()
        if post not in before_links
    ]
    events += [
        f"lose obstacle {name[post]} link {link + 1}"
        for post, link in before_links.items()
        if post not in now_links
    ]
    events += [
        f"pass obstacle {name[post]} link {before_links[post] + 1} to {link + 1}"
        for post, link in now_links.items()
        if post in before_links and before_links[post] != link
    ]
    return tuple(events)


def _obstacles(contacts: ContactSet) -> dict[int, int]:
    """The post of every contact."""
    return dict(zip(contacts.post.tolist(), contacts.obstacle.tolist(), strict=True))
