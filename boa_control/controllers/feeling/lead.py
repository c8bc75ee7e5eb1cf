# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What leads the head on: it seeks its way, or keeps to one on which it has come before."""

import math
from typing import NamedTuple, Protocol

import numpy as np
from pydantic import Field

from boa_control.controllers.feeling.touch import Touches
from boa_control.controllers.feeling.track import STEP
from boa_control.controllers.feeling.trail import EVERY, Trail, cleared
from boa_control.controllers.feeling.way import CURVATURES, PIECE, Head, WaySettings, next_curvature
from boa_control.paths.guide import Guide
from boa_description.robot import Block, Metre

WINDOW = 0.3  # m of a trail, in which the head is sought
SLACK = 0.3  # m of track; by so much too early, bends come slower by the whole pace of the track
SLOWEST, FASTEST = 0.5, 2.0  # but within these shares of it
# m past where it stood, m beside the trail and rad along it, from where it leads once more
PAST, NEAR, ALONG = 0.05, 0.02, 0.3


class Piece(NamedTuple):
    """Of the track of the head: its curvature, 1/m, and length, m, and whether it has gone there
    before.
    """

    curvature: float
    length: float
    known: bool


class Lead(Protocol):
    """Leads the head on."""

    def reset(self) -> None:
        """It is at its start."""

    def turn_back(self, stood: bool) -> None:
        """It goes back, because it stood or not, before it is led on."""

    def next_piece(self, head: Head) -> Piece:
        """Where the head goes on from here."""


class Seeking:
    """Along a guide and back to it, past all posts that are known."""

    def __init__(
        self, guide: Guide, lookahead: float, touches: Touches, settings: WaySettings
    ) -> None:
        """`lookahead`, m, in which it comes back to the guide."""
        self._guide, self._lookahead = guide, lookahead
        self._touches, self._settings = touches, settings
        self.reset()

    def reset(self) -> None:
        """The head is anywhere on the guide."""
        self._foot: float | None = None

    def turn_back(self, stood: bool) -> None:
        """It seeks from wherever it is."""

    def next_piece(self, head: Head) -> Piece:
        """The first piece of the cheapest way."""
        self._foot, offset = self._guide.nearest(head.tip, self._foot)
        along = float(self._guide.heading(np.array(self._foot)))
        course = along - math.atan(offset / self._lookahead)
        touches = self._touches
        curvature = next_curvature(head, course, touches.places, touches.reach, self._settings)
        return Piece(curvature, PIECE, known=False)


class RetraceSettings(Block):
    """How the head comes back to its trail: its offset swings about it like a damped spring."""

    offset: float = Field(default=40.0, ge=0, description="bend by its offset, 1/m^2")
    turning: float = Field(default=8.0, ge=0, description="bend by its heading, 1/m")
    room: Metre = Field(default=0.03, ge=0, description="beside posts on the map")


class Retracing:
    """Along the trail of an earlier run; beyond its end, and past where the head stands, another
    lead takes over.

        kappa = kappa_trail(s) - k_e e - k_theta (theta - theta_trail(s')),

    with s on the track of then, the foot s' of the head on its trail and its offset e to the left.
    The bends come at the pace of the track, slower where the head is behind.
    """

    def __init__(
        self, trail: Trail, touches: Touches, settings: RetraceSettings, beyond: Lead
    ) -> None:
        """`touches` knows the posts of the map."""
        self._trail = trail = cleared(trail, touches.places, touches.reach + settings.room)
        self._guide = Guide(np.column_stack((trail.place.real, trail.place.imag)))
        self._way = np.append(0.0, np.cumsum(np.abs(np.diff(trail.place))))
        self._track = EVERY * np.arange(trail.place.size)
        self._settings, self._beyond = settings, beyond
        self.reset()

    def reset(self) -> None:
        """The head is at the start of its trail."""
        self._foot = 0.0
        self._s: float | None = None
        self._stood: float | None = None
        self._beyond.reset()

    def turn_back(self, stood: bool) -> None:
        """The bends begin where it goes on; where it stood, the other lead does for a while."""
        self._s = None
        self._stood = self._foot if stood else self._stood
        self._beyond.turn_back(stood)

    def next_piece(self, head: Head) -> Piece:
        """A step along the trail, and towards it."""
        self._foot, offset = self._guide.nearest(head.tip, self._foot, WINDOW)
        there = float(np.interp(self._foot, self._way, self._track))
        heading = float(np.interp(there, self._track, self._trail.heading))
        turned = math.remainder(head.heading - heading, math.tau)
        if self._foot >= self._way[-1] or self._off(offset, turned):
            return self._beyond.next_piece(head)
        early = 0.0 if self._s is None else self._s - there
        self._s = there + early + STEP * min(max(1.0 - early / SLACK, SLOWEST), FASTEST)
        p = self._settings
        bend = float(np.interp(self._s, self._track, self._trail.bend))
        curvature = bend - p.offset * offset - p.turning * turned
        return Piece(min(max(curvature, CURVATURES[0]), CURVATURES[-1]), STEP, known=True)

    def _off(self, offset: float, turned: float) -> bool:
        """Whether the head is off its trail, since it stood there: until it is past that place, on
        the trail and along it.
        """
        on = abs(offset) < NEAR and abs(turned) < ALONG
        if on and self._stood is not None and self._foot > self._stood + PAST:
            self._stood = self._s = None
        return self._stood is not None
