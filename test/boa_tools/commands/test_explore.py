# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa explore`: what is left of one that is interrupted."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from boa_control.experiments import exploration
from boa_control.experiments.scenario import Scenario
from boa_control.planning.fields import random_field
from boa_control.planning.post_map import load_map
from boa_tools.cli import main
from boa_tools.commands import one_run
from boa_tools.commands.plan_field import write_map
from boa_tools.runs import console
from boa_tools.runs.drive import RunResult, drive

TICKS = 5  # until Ctrl-C


@pytest.fixture
def own_ctrl_c() -> None:
    """Ctrl-C as in a new process: ROS nodes of tests before this one may have left it bare, and it
    would end the process of the tests.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="module")
def searched_once() -> Iterator[None]:
    """Where the robot is laid down, which takes longer than all the rest, is the same each time."""
    first_pass, found = exploration.first_pass, list[Scenario]()

    def search(*given: Any) -> Scenario:
        found[:] = found or [first_pass(*given)]
        return found[0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exploration, "first_pass", search)
        yield


@pytest.mark.usefixtures("own_ctrl_c", "searched_once")
@pytest.mark.parametrize("when", ["run", "report"])
def test_what_was_explored_is_kept_and_no_second_pass_begins(
    when: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C during the first pass, and once more while its report is made."""

    def interrupted(*given: Any) -> RunResult:
        ticks = iter(range(TICKS))
        return drive(*given, lambda _: None if next(ticks, None) is not None else interrupt())

    def interrupt(*_: object, **__: object) -> Any:
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(console, "unwind_on_signals", lambda: None)  # of the test's own process
    monkeypatch.setattr(one_run, "drive", interrupted)
    if when == "report":
        monkeypatch.setattr(one_run, "finish", interrupt)
    write_map(tmp_path / "field.yaml", random_field(0.24, 800, 7.0, 3.0, 0.05))
    out = tmp_path / "explored"
    words = [str(tmp_path / "field.yaml"), "--distance", "0.8", "--out", str(out), "--no-report"]
    status = main(["explore", *words])
    told = capsys.readouterr()
    assert "interrupted after" in told.out and "keeping the results so far" in told.out
    assert {path.name for path in out.iterdir()} == {"first", "map.yaml"}
    assert load_map(out / "map.yaml").circles
    if when == "report":
        assert status == 130 and f"{out} has first, map.yaml" in told.err
    else:
        assert status == 1 and (out / "first" / "metrics.json").is_file()
