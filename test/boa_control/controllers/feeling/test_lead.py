# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A head that is led along its trail."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.feeling.lead import Piece, RetraceSettings, Retracing
from boa_control.controllers.feeling.touch import Touches, TouchSettings
from boa_control.controllers.feeling.track import STEP
from boa_control.controllers.feeling.trail import EVERY, Trail
from boa_control.controllers.feeling.way import Head
from boa_control.model.dynamics import PlanarChain
from boa_description.load import load_robot

LENGTH = 2.0


class Straight:
    """Leads straight on, beyond the trail."""

    def reset(self) -> None:
        """Nothing to forget."""

    def turn_back(self, stood: bool) -> None:
        """Nothing to begin anew."""

    def next_piece(self, head: Head) -> Piece:
        return Piece(0.0, STEP, known=False)


def wave() -> Trail:
    """Of a head that swings by 0.8 rad, integrated in steps of 0.1 mm."""
    fine, each = 1e-4, round(EVERY / 1e-4)
    heading = 0.8 * np.sin(2 * np.pi * fine * np.arange(round(LENGTH / fine)) / 0.9)
    place = np.append(0.0, np.cumsum(np.exp(1j * heading))[:-1]) * fine
    return Trail(place[::each], heading[::each], np.gradient(heading)[::each] / fine)


def retracing() -> Retracing:
    touches = Touches(PlanarChain(load_robot("boa13")), 0.04, TouchSettings(), 0.005)
    return Retracing(wave(), touches, RetraceSettings(), Straight())


def led(lead: Retracing, tip: complex, heading: float, slip: float) -> tuple[np.ndarray, bool]:
    """Places of a head of which each step of the track makes 1 - slip; whether all was known."""
    places, known = [], True
    for _ in range(round(1.5 / STEP)):
        piece = lead.next_piece(Head(np.array([tip.real, tip.imag]), heading, np.zeros(1)))
        heading += piece.curvature * piece.length
        tip += (1.0 - slip) * piece.length * np.exp(1j * heading)
        known = known and piece.known
        places.append(tip)
    return np.array(places), known


def off(places: np.ndarray) -> np.ndarray:
    fine = np.interp(np.arange(0, 1, 1e-3), np.linspace(0, 1, wave().place.size), wave().place)
    return np.abs(places[:, None] - fine).min(axis=1)


@pytest.mark.parametrize(("slip", "least"), [(0.0, 0.01), (0.1, 0.025)])
def test_it_comes_back_to_its_trail(slip: float, least: float) -> None:
    """From 40 mm beside it and 0.2 rad off, within 1 m, also where it slips a little more than it
    did then.
    """
    places, known = led(retracing(), 0.04j, 0.2, slip)
    assert known and off(places[100:]).max() < least


def test_the_bends_alone_keep_it_there() -> None:
    places, _ = led(retracing(), 0.0j, 0.0, 0.0)
    assert off(places).max() < 0.008


def test_beyond_its_trail_another_leads() -> None:
    lead, end = retracing(), wave().place[-1]
    known = []
    for place in [*wave().place[::2], end + 0.02, end + 0.1]:
        head = Head(np.array([place.real, place.imag]), 0.0, np.zeros(1))
        known.append(lead.next_piece(head).known)
    assert known[0] and not known[-1] and sum(np.diff(known)) == 1
    lead.reset()
    assert lead.next_piece(Head(np.zeros(2), 0.0, np.zeros(1))).known
    lead.turn_back(stood=False)
    assert lead.next_piece(Head(np.zeros(2), 0.0, np.zeros(1))).known
    lead.turn_back(stood=True)
    assert not lead.next_piece(Head(np.zeros(2), 0.0, np.zeros(1))).known
