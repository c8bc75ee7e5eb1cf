# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where on its path a robot lies that nobody has told: a search over all s, from joint angles at
one instant.

Measured angles are those of the path at s, up to errors of standard deviation sigma, or they belong
    to no place: p(phi | s) = prod_i N(phi_i - phi_ref,i(s), sigma^2),   p(phi | nowhere) = prod_i 1
    / (upper - lower).
With "on the path" and "nowhere" equally likely beforehand, and every s alike, Bayes' rule gives the
probability of each place. It is small where another place fits as well, and where none fits: it
judges rival places and residual at once.

Joint angles repeat with the symmetry of the path (`Repeat`), so they tell s up to a repeat. Repeats
in which the same posts stand at the same places of the body are one and the same to the controller.
The others differ in where posts stand (on a circle with LRRL all sides are swapped in every second
repeat): a heading can tell them apart, or a touch.
"""

from dataclasses import dataclass

import numpy as np

from boa_control.model.pattern import post_period
from boa_control.model.reference import ReferenceTable
from boa_control.paths.path import PlannedPath
from boa_description.arrays import Array

COARSE, FINE = 1e-3, 5e-5  # m, limits of the distance between places that are compared
SAME_START = 0.02  # m; nearer places count as one: the progress observer moves that far by itself
REFINEMENTS = 5  # Gauss-Newton steps; the first starts within half a grid cell
# probability relative to the likeliest, above which a repeat with other posts stays in question
PLAUSIBLE = 1e-3


@dataclass(frozen=True, slots=True)
class Heading:
    """Measured heading of link 1 in the frame of the map, and its standard deviation, rad."""

    value: float
    std: float


@dataclass(frozen=True, slots=True)
class Start:
    """The likeliest place.

    Attributes:
        s: path coordinate of the middle joint, m.
        confidence: probability of lying there, or the same in another repeat; 0 to 1.
        residual: rms over the joints of phi - phi_ref(s), rad.
        alternatives: the same place in repeats where posts stand otherwise and which are still
            plausible, m; likeliest first.
    """

    s: float
    confidence: float
    residual: float
    alternatives: tuple[float, ...]


class StartSearch:
    """All places of a path, ready to be compared with measured shapes."""

    def __init__(
        self, path: PlannedPath, reference: ReferenceTable, limits: tuple[float, float], std: float
    ) -> None:
        """Tabulate the places.

        Args:
            limits: lower and upper limit of joint angles, rad.
            std: sigma, errors of joint angles of a robot on the path (sensors, posts off their
                places), rad.
        """
        self._reference = reference
        self._std = std
        repeat = reference.curve.repeat
        self._span = reference.span
        begin = 0.0 if reference.curve.closed else reference.start
        end = begin + self._span if repeat is not None else reference.end
        self._s = _places(reference, begin, end, std)
        self._shapes = reference.shapes(self._s)
        self._squares = np.sum(self._shapes**2, axis=1)
        self._period = post_period(path)
        self._turning = 0.0 if repeat is None else repeat.rotation
        self._repeats = (
            round(path.curve.length / self._span) if reference.curve.closed else self._period
        )
        local = np.array([reference.world_base(reference.at(s))[2] for s in self._s.tolist()])
        self._headings = local[:, None] + self._turning * np.arange(self._repeats)
        self._nowhere = -self._shapes.shape[1] * float(np.log(limits[1] - limits[0]))

    def find(self, phi: Array, heading: Heading | None = None) -> Start:
        """The likeliest place of a robot with joint angles `phi`, shape (n - 1,), rad."""
        squares = self._squares - 2 * (self._shapes @ phi) + phi @ phi
        fit = -0.5 * squares / self._std**2 - phi.size * np.log(self._std * np.sqrt(2 * np.pi))
        repeats = np.arange(self._period if heading is None else self._repeats)
        log, nowhere = fit[:, None] + np.zeros(repeats.size), self._nowhere
        if heading is not None:
            off = np.remainder(heading.value - self._headings + np.pi, 2 * np.pi) - np.pi
            log = log - 0.5 * (off / heading.std) ** 2 - np.log(heading.std * np.sqrt(2 * np.pi))
            nowhere -= np.log(2 * np.pi)
        best, turn = np.unravel_index(int(np.argmax(log)), log.shape)
        weight = np.exp(log - log[best, turn])
        total = weight.sum() + weight.size * np.exp(min(nowhere - log[best, turn], 700.0))

        ahead = self._s[:, None] + self._span * repeats - (self._s[best] + self._span * turn)
        # repeats between here and there, also across their seam
        apart = np.round(ahead / self._span)
        here = np.abs(ahead - apart * self._span) <= SAME_START
        share = np.zeros(self._period)
        np.add.at(share, apart[here].astype(int) % self._period, weight[here])
        s, residual = self._refine(float(self._s[best] + self._span * turn), phi)
        order = sorted(range(1, self._period), key=lambda shift: -float(share[shift]))
        return Start(
            s=s,
            confidence=float(share.sum() / total),
            residual=residual,
            alternatives=tuple(
                self._wrapped(s + shift * self._span)
                for shift in order
                if share[shift] > PLAUSIBLE * share[0]
            ),
        )

    def _refine(self, s: float, phi: Array) -> tuple[float, float]:
        """Gauss-Newton from a grid place; returns s and the rms residual there."""
        for _ in range(REFINEMENTS):
            at = self._reference.at(s)
            step = float(at.dphi @ (phi - at.phi)) / float(at.dphi @ at.dphi)
            s += min(max(step, -COARSE), COARSE)
            s = min(max(s, self._reference.start), self._reference.end)
        error = phi - self._reference.at(s).phi
        return self._wrapped(s), float(np.sqrt(error @ error / error.size))

    def _wrapped(self, s: float) -> float:
        return s % self._reference.curve.length if self._reference.curve.closed else s


def _places(reference: ReferenceTable, begin: float, end: float, std: float) -> Array:
    """Places from `begin` to `end`, so dense that places between fit nearly as well."""
    coarse = begin + np.arange(0.0, end - begin, COARSE)
    slope = np.linalg.norm(np.diff(reference.shapes(coarse), axis=0), axis=1).max() / COARSE
    spacing = min(max(0.5 * std / float(slope), FINE), COARSE)
    places: Array = begin + spacing * np.arange(float(max(1, int((end - begin) / spacing))))
    return places
