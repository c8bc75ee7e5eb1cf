# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A claim is as old as what became of its code since, in commits and in releases."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from boa_description.errors import BoaError
from evidence.age import Age, age, has_history
from evidence.claims import Claim


@pytest.fixture
def repository(tmp_path: Path):
    def git(*words: str) -> str:
        who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        done = subprocess.run(
            ["git", "-C", str(tmp_path), *who, *words], check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def commit(file: str) -> str:
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        path.write_text(path.read_text("utf-8") + "x" if path.exists() else "x", "utf-8")
        git("add", "-A")
        git("commit", "-qm", file)
        return git("rev-parse", "--short=8", "HEAD")

    git("init", "-q")
    return tmp_path, git, commit


def claim(commit: str) -> Claim:
    return Claim(
        claim="it runs",
        command="boa run boa_circle",
        seeds="0",
        tuned="none",
        commit=commit,
        date="2026-11-26",
        load="quiet",
        depends=("law",),
    )


def test_only_changes_of_what_it_depends_on_count(repository):
    root, _, commit = repository
    measured = claim(commit("law/a.py"))
    commit("docs/page.md")
    assert age(root, measured) == Age(0, 0)
    commit("law/b.py")
    assert age(root, measured) == Age(1, 0)


def test_it_is_overdue_after_more_than_a_release_with_changed_code(repository):
    root, git, commit = repository
    measured = claim(commit("law/a.py"))
    commit("law/a.py")
    for tag, overdue in (("v0.1.0", False), ("v0.2.0", True)):
        git("tag", tag)
        assert age(root, measured).overdue is overdue
        commit("docs/page.md")
    assert not age(root, claim(git("rev-parse", "--short=8", "v0.1.0"))).overdue


def test_a_commit_that_is_unknown_and_a_folder_without_history_are_told(
    repository, tmp_path_factory
):
    root, _, commit = repository
    commit("law/a.py")
    assert has_history(root)
    assert not has_history(tmp_path_factory.mktemp("unpacked"))
    with pytest.raises(BoaError, match="needs a whole clone"):
        age(root, claim("0123abcd"))
