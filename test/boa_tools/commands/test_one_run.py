# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Runs of `boa go` and `boa explore`: what is kept, and what is told of the way."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest

from boa_control.events import Event, EventKind
from boa_control.experiments.scenario import Scenario
from boa_tools.bags.recorded import find_run
from boa_tools.commands import one_run
from boa_tools.commands.go import travelled
from boa_tools.commands.one_run import run_into
from boa_tools.runs.runlog import LoggedEvent

SHORT = Scenario.model_validate(
    {
        "name": "free",
        "summary": "test",
        "robot": {"name": "boa13", "links": 3},
        "initial": {"base": [0.0, 0.0, 0.0]},
        "controller": {"name": "constant"},
        "evaluation": {"settle": 0.0},
        "duration": 0.1,
    }
)


@pytest.mark.parametrize("bag", [True, False])
def test_a_run_is_recorded_where_that_is_wanted(bag: bool, tmp_path: Path) -> None:
    run_into(tmp_path / "run", SHORT, 0, report=False, bag=bag)
    assert (tmp_path / "run" / "bag").is_dir() == bag
    if bag:
        assert find_run(tmp_path / "run").experiment.scenario == SHORT


def test_a_run_that_is_interrupted_before_its_first_tick_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(one_run, "stop_on_interrupt", lambda: nullcontext(lambda: True))
    with pytest.raises(KeyboardInterrupt):
        run_into(tmp_path / "run", SHORT, 0, report=False, bag=False, keep=pytest.fail)
    assert not list(tmp_path.iterdir())


def test_a_stretch_that_was_left_is_told_of() -> None:
    left = "less than 0.05 m in 60 s; undulation goes on from here"
    told = travelled(
        [
            LoggedEvent(0, Event(kind=EventKind.PHASE, state="1, weaving")),
            LoggedEvent(1, Event(kind=EventKind.CONTACT_GAINED, post=1, link=2)),
            LoggedEvent(
                80_500_000_000,
                Event(kind=EventKind.STANDSTILL, place=(1.0, 2.0), s=0.5, note=left),
            ),
            LoggedEvent(80_502_000_000, Event(kind=EventKind.PHASE, state="2, undulation")),
        ]
    )
    assert told[0] == "    0.0 s   stretch 1, weaving" and told[-1].endswith(
        "stretch 2, undulation"
    )
    assert len(told) == 3 and left in told[1] and told[1].startswith("   80.5 s")
