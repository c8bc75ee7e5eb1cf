# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Results folders are written whole or not at all."""

from __future__ import annotations

import errno
import re
from pathlib import Path

import pytest

from boa_control.plant import PlantError
from boa_description.errors import BoaError
from boa_tools.runs.results import read_record, results_directory, staged, write_text


def test_the_default_folder_names_scenario_and_time(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert re.fullmatch(
        r"results/boa_circle-\d{8}-\d{6}", str(results_directory(None, "boa_circle"))
    )
    assert list(tmp_path.iterdir()) == []


def test_an_empty_folder_may_be_used_a_full_one_not(tmp_path):
    assert results_directory(str(tmp_path), "x") == tmp_path
    (tmp_path / "something").touch()
    with pytest.raises(BoaError, match="is not empty; choose another one or remove it"):
        results_directory(str(tmp_path), "x")


def test_staged_folder_appears_complete(tmp_path):
    target = tmp_path / "deep" / "down" / "run"
    with staged(target) as scratch:
        (scratch / "a.txt").write_text("a")
        assert not target.exists()
    assert [path.name for path in target.iterdir()] == ["a.txt"]
    assert [path.name for path in target.parent.iterdir()] == ["run"]


@pytest.mark.parametrize(
    "error",
    [
        BoaError("wrong"),
        PlantError("gone"),
        ModuleNotFoundError("tqdm"),
        KeyboardInterrupt(),
        ImportError("initialization failed"),  # Ctrl-C while MuJoCo was imported
    ],
)
def test_nothing_remains_of_a_staged_folder_after_an_error(tmp_path, error):
    with pytest.raises(type(error)), staged(tmp_path / "deep" / "run") as scratch:
        (scratch / "half.txt").write_text("half")
        raise error
    assert list(tmp_path.iterdir()) == []


def test_an_error_is_told_although_another_run_has_begun_beside(tmp_path):
    with pytest.raises(KeyboardInterrupt), staged(tmp_path / "deep" / "run"):
        (tmp_path / "deep" / "other").mkdir()
        raise KeyboardInterrupt
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["other"]


def test_what_was_written_before_an_error_of_the_program_remains(tmp_path):
    with pytest.raises(RuntimeError), staged(tmp_path / "run") as scratch:
        (scratch / "half.txt").write_text("half")
        raise RuntimeError("bug")
    assert (tmp_path / "run.incomplete" / "half.txt").read_text() == "half"


def test_a_full_disk_is_named_with_what_remains(tmp_path):
    full = OSError(errno.ENOSPC, "No space left on device")
    told = pytest.raises(OSError, match="remains there")
    with told as caught, staged(tmp_path / "run") as scratch:
        (scratch / "half.txt").write_text("half")
        raise full
    assert "run.incomplete' cannot be written: No space left on device" in str(caught.value)
    assert (tmp_path / "run.incomplete" / "half.txt").exists()


def test_a_second_run_into_the_same_folder_is_refused_at_its_start(tmp_path):
    refused = pytest.raises(BoaError, match="exists: another run writes to it")
    with staged(tmp_path / "run"), refused, staged(tmp_path / "run"):
        pass
    assert (tmp_path / "run").is_dir()


def test_an_empty_folder_is_taken_over(tmp_path):
    (tmp_path / "run").mkdir()
    with staged(tmp_path / "run") as scratch:
        (scratch / "a.txt").touch()
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["a.txt"]


def test_files_are_replaced_at_once(tmp_path):
    write_text(tmp_path / "m.json", "old")
    write_text(tmp_path / "m.json", "new")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("m.json", "new")]


@pytest.mark.parametrize("fails", ["write_bytes", "replace"])
def test_of_a_file_that_cannot_be_written_the_path_is_told_and_nothing_is_left(
    tmp_path, monkeypatch, fails
):
    """A full disk says no file; the scratch file's name is nobody's business."""
    half = Path.write_bytes

    def full(path, content=b""):
        half(path, b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, fails, full)
    with pytest.raises(OSError, match="No space left on device") as caught:
        write_text(tmp_path / "m.json", "new")
    assert caught.value.filename == str(tmp_path / "m.json")
    assert [path.name for path in tmp_path.iterdir()] == []


def test_a_damaged_record_is_named(tmp_path):
    assert read_record(tmp_path) is None
    (tmp_path / "run.json").write_text('{"ended": "dura')
    with pytest.raises(BoaError, match=r"run.json' is damaged; remove it"):
        read_record(tmp_path)
