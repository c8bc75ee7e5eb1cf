# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Progress as a line: a sentence for people, fields for a program."""

from __future__ import annotations

import pytest

from boa_control.messages.progress import READ_BY_A_PROGRAM, Progress, read_progress


@pytest.mark.parametrize(
    ("progress", "sentence"),
    [
        (Progress(1.25), "progress 1.25 s"),
        (Progress(1.25, 20.0), "progress 1.25 of 20 s"),
        (Progress(1.25, 20.0, 0.98), "progress 1.25 of 20 s, 0.98 x real time"),
    ],
)
def test_people_get_a_sentence_and_programs_the_fields(
    progress: Progress, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in READ_BY_A_PROGRAM.items():
        monkeypatch.delenv(name, raising=False)
        assert progress.line() == sentence
        monkeypatch.setenv(name, value)
        assert read_progress(progress.line()) == progress


@pytest.mark.parametrize(
    "line", ["", "progress 1.25 s", "3", "[]", "{}", '{"progress": 3}', '{"progress": {"x": 1}}']
)
def test_other_lines_are_no_progress(line: str) -> None:
    assert read_progress(line) is None
