"""`boa run` and the search for garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from boa_tools.cli import main
from boa_tools.runs.drive import drive


@pytest.fixture
def thawed() -> Iterator[None]:
    """The memory of this process as it was."""
    yield
    gc.unfreeze()


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
