"""When the robot that takes hold of the posts may move."""

from __future__ import annotations

import pytest

from boa_control.controllers.hoal.grip import LONGEST, Grip

PERIOD = 0.01


def closing_time(on_trial: bool, felt_after: float, most: float = 4 * LONGEST) -> float:
    """How long the robot takes hold, s."""
    grip = Grip(3, PERIOD)
    for tick in range(round(most / PERIOD)):
        if not grip.closing:
            return tick * PERIOD
        grip.update(tick * PERIOD >= felt_after, on_trial)
    return most


def test_it_moves_when_all_contacts_are_felt_or_after_its_longest_time() -> None:
    assert closing_time(False, 1.5) == pytest.approx(1.5, abs=2 * PERIOD)
    assert closing_time(False, 100.0) == pytest.approx(LONGEST, abs=2 * PERIOD)


@pytest.mark.parametrize("felt_after", [1.5, 100.0])
def test_it_never_moves_while_the_place_is_on_trial(felt_after: float) -> None:
    assert closing_time(True, felt_after) == 4 * LONGEST
