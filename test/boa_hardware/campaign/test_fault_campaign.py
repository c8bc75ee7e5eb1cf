# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every fault of the campaign: the robot goes on where it may and stops where it must, and no
torque slips through.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from test.boa_hardware.campaign.cases import CASES
from test.boa_hardware.campaign.table import row, with_table
from test.boa_hardware.campaign.trial import Case, Outcome, Trial

pytestmark = pytest.mark.closed_loop

NAMES = [case.name for case in CASES]
MANUAL = Path("docs/safety.md")


@cache
def outcome_of(name: str) -> Outcome:
    """Of the case with that name, tried once."""
    return Trial(CASES[NAMES.index(name)]).run()


@pytest.fixture(scope="module")
def trials(request: pytest.FixtureRequest) -> Iterator[list[tuple[Case, Outcome]]]:
    """What happened; with `--write-table` it goes into the manual, where every case was tried."""
    happened: list[tuple[Case, Outcome]] = []
    yield happened
    if request.config.getoption("--write-table") and len(happened) == len(CASES):
        text = MANUAL.read_text(encoding="utf-8")
        MANUAL.write_text(with_table(text, happened), encoding="utf-8")


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_fault(case: Case, trials: list[tuple[Case, Outcome]]) -> None:
    outcome = outcome_of(case.name)
    trials.append((case, outcome))
    assert outcome.violations == ()
    assert outcome.torques_seen > 100  # the witness was there
    assert any(case.warning in text for text in outcome.warnings or ("",)), outcome.warnings
    if case.stops:
        assert not outcome.went_on
        assert outcome.torque_off is not None
        assert outcome.torque_off <= case.within
        assert not case.fault or any(case.fault in text for text in outcome.faults), outcome.faults
        assert outcome.recovered is (True if case.heals else None)
    else:
        assert outcome.went_on, outcome.faults
        assert outcome.faults == ()


@pytest.mark.parametrize(
    "name", ["silent servo, first", "silent servo, middle", "silent servo, last"]
)
def test_a_silent_servo_is_latched_within_six_ticks(name: str) -> None:
    """Five answers in a row may be missing; ticks without an answer last longer."""
    outcome = outcome_of(name)
    assert outcome.ticks_to_latch is not None
    assert outcome.ticks_to_latch <= 6


def test_there_are_many_cases_with_names_of_their_own() -> None:
    assert len(CASES) >= 30
    assert len(set(NAMES)) == len(CASES)


def test_the_table_in_the_manual_has_every_case() -> None:
    text = MANUAL.read_text(encoding="utf-8")
    assert all(
        f"| {case.injected} |" in text or f"spine: {case.injected} |" in text for case in CASES
    )


def test_a_row_says_what_happened() -> None:
    case = CASES[NAMES.index("overload")]
    line = row(case, outcome_of(case.name))
    assert line.startswith("| servo 4 shuts down by overload | stops | ")
    assert "hardware error: overload" in line
    assert line.endswith("| arms and moves |")
