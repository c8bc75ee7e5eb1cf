# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fast where the head has gone before, and slowly where it went back."""

from __future__ import annotations

from boa_control.controllers.feeling.haste import BEYOND, Haste

PERIOD = 0.01


def after(haste: Haste, seconds: float, s: float, known: bool, back: bool) -> float:
    for _ in range(round(seconds / PERIOD)):
        haste.update(s, known, back)
    return haste.times


def test_it_is_slow_on_new_ground_and_past_where_it_turned_back() -> None:
    haste = Haste(3.0, PERIOD)
    assert after(haste, 2.0, 0.5, known=False, back=False) == 1.0
    assert after(haste, 2.0, 1.0, known=True, back=False) == 3.0
    assert after(haste, 2.0, 1.0, known=True, back=True) == 1.0
    assert after(haste, 2.0, 1.0 + BEYOND, known=True, back=False) == 1.0
    assert after(haste, 2.0, 1.1 + BEYOND, known=True, back=False) == 3.0


def test_it_changes_smoothly() -> None:
    haste = Haste(3.0, PERIOD)
    haste.update(0.5, known=True, back=False)
    assert 1.0 < haste.update(1.0, known=True, back=False) < 1.05
    after(haste, 2.0, 1.0, known=True, back=False)
    assert 2.9 < haste.update(1.0, known=False, back=False) < 3.0
