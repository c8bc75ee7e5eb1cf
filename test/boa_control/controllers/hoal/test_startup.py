"""When the robot that takes hold of the posts may move."""

from __future__ import annotations

import pytest

from boa_control.controllers.hoal.startup import LONGEST_TIME, StartUp

PERIOD = 0.01


def closing_time(on_trial: bool, felt_after: float, most: float = 4 * LONGEST_TIME) -> float:
    """How long the robot takes hold, s."""
    startup = StartUp(3, PERIOD)
    for tick in range(round(most / PERIOD)):
        if not startup.closing:
            return tick * PERIOD
        startup.update(tick * PERIOD >= felt_after, on_trial)
    return most


def test_it_moves_when_all_contacts_are_felt_or_after_its_longest_time() -> None:
    assert closing_time(False, 1.5) == pytest.approx(1.5, abs=2 * PERIOD)
    assert closing_time(False, 100.0) == pytest.approx(LONGEST_TIME, abs=2 * PERIOD)


@pytest.mark.parametrize("felt_after", [1.5, 100.0])
def test_it_never_moves_while_the_place_is_on_trial(felt_after: float) -> None:
    assert closing_time(True, felt_after) == 4 * LONGEST_TIME
