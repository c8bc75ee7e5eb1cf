# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa plan field`: a map that is not written over, and bad numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from boa_tools.cli import main

FIELD = ["plan", "field", "--least-distance", "0.5"]


def test_a_map_that_exists_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    measured = tmp_path / "field.yaml"
    measured.write_text("posts: []\n", encoding="utf-8")
    assert main([*FIELD, "--out", str(measured)]) == 2
    assert "exists" in capsys.readouterr().err
    assert measured.read_text(encoding="utf-8") == "posts: []\n"


@pytest.mark.parametrize("words", [["--seed", "-1"], ["--turn", "nan"]])
def test_bad_numbers_are_refused_before_anything_is_written(
    tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "field.yaml"
    with pytest.raises(SystemExit) as ended:
        main([*FIELD, *words, "--out", str(out)])
    assert ended.value.code == 2
    assert words[1] in capsys.readouterr().err
    assert not out.exists()
