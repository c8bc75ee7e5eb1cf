# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa run` and the search for garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.priority import freeze_memory, search_seldom
from boa_tools.cli import main
from boa_tools.runs.block import TickBlock
from boa_tools.runs.drive import drive, run_experiment


@pytest.fixture
def thawed() -> Iterator[None]:
    """The memory of this process as it was."""
    threshold = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*threshold)


@pytest.mark.usefixtures("thawed")
def test_a_run_does_not_search_what_the_start_has_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twice in 10 s it would, for 30 ms each, which is fifteen ticks."""
    frozen: list[int] = []

    def noted(*arguments: Any, **options: Any) -> Any:
        frozen.append(gc.get_freeze_count())
        return drive(*arguments, **options)

    monkeypatch.setattr("boa_tools.runs.drive.drive", noted)
    before = gc.get_freeze_count()
    out = str(tmp_path / "run")
    main(
        ["run", "thesis_5_1_1", "--duration", "0.1", "--out", out, "--no-bag", "--no-report"],
    )
    assert frozen[0] > before


@pytest.mark.usefixtures("thawed")
def test_what_a_run_keeps_for_a_block_is_not_searched() -> None:
    """Two blocks: 256 ticks of some 45 objects each, of which Python's own 700 come together every
    15 ticks.
    """
    searches: list[int] = []

    def noted(phase: str, information: dict[str, int]) -> None:
        if phase == "start":
            searches.append(information["generation"])

    class Counting:
        """Counts from the first block on."""

        def add(self, _: TickBlock) -> None:
            if noted not in gc.callbacks:
                gc.callbacks.append(noted)

    experiment = prepare(load_scenario("boa_circle").model_copy(update={"duration": 1.5}))
    freeze_memory()
    search_seldom()
    try:
        run_experiment(experiment, sinks=(Counting(),))
    finally:
        gc.callbacks.remove(noted)
    assert not searches
