# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The file of runs that have ended, whatever interrupts its writing."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_description.errors import BoaError
from boa_tools.sweeps.journal import Journal, open_journal, read_journal

ROWS = [{"run": 0, "x": 0.1}, {"run": 1, "x": None, "text": "ü\n"}]


def write(path, rows):
    with open_journal(path) as journal:
        for row in rows:
            journal.append(row)


def test_rows_come_back_as_they_were(tmp_path):
    path = tmp_path / "runs.jsonl"
    assert read_journal(path, ("run",)) == []
    write(path, ROWS[:1])
    write(path, ROWS[1:])
    assert read_journal(path, ("run", "x")) == ROWS


@given(cut=st.integers(0, 200))
def test_a_kill_in_the_middle_of_a_line_costs_this_line(cut, tmp_path_factory):
    path = tmp_path_factory.mktemp("journal") / "runs.jsonl"
    write(path, ROWS)
    whole = path.read_bytes()
    path.write_bytes(whole[: min(cut, len(whole))])
    kept = read_journal(path, ("run",))
    assert kept == ROWS[: whole[: min(cut, len(whole))].count(b"\n")]
    write(path, [{"run": 7}])
    assert read_journal(path, ("run",)) == [*kept, {"run": 7}]


@pytest.mark.parametrize("line", ["{", "[1]", '{"x": 1}', '"run"', "\x00\x00"])
def test_a_damaged_line_is_named(line, tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_text(f'{{"run": 0}}\n{line}\n{{"run": 1}}\n')
    with pytest.raises(BoaError, match="line 2 is damaged; remove this line"):
        read_journal(path, ("run",))


HOLDER = """
import sys
from pathlib import Path
from boa_tools.sweeps.journal import open_journal
with open_journal(Path(sys.argv[1])):
    print("open", flush=True)
    sys.stdin.read()
"""


def test_two_processes_do_not_write_at_the_same_time(tmp_path):
    path = tmp_path / "runs.jsonl"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout.readline() == b"open\n"
        with pytest.raises(BoaError, match="another boa is at work"), open_journal(path):
            pass
        other.kill()
        other.wait()
    write(path, ROWS)  # a kill leaves no lock behind
    assert read_journal(path, ()) == ROWS


def test_a_full_disk_is_not_hidden():
    """/dev/full answers every write as a full disk does."""
    with (
        Path("/dev/full").open("wb", buffering=0) as full,
        pytest.raises(OSError, match="No space left") as error,
    ):
        Journal(full).append({"run": 0})
    assert error.value.errno == errno.ENOSPC
