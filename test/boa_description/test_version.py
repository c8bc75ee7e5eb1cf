# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The version comes from git, and from what is left of it where there is no git."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from boa_description.version import announced_version, public_version, tree_version

ROOT = Path(__file__).resolve().parents[2]
PEP_440 = r"\d+(\.\d+)+(\.(dev|post)\d+)?(\+[a-z0-9]+(\.[a-z0-9]+)*)?"


def git(root: Path, *words: str) -> str:
    identity = ("-c", "user.name=Test", "-c", "user.email=test@example.org")
    return subprocess.run(
        ["git", "-C", str(root), *identity, *words], check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def tree(tmp_path, monkeypatch) -> Path:
    """A checkout with one commit: package.xml, and the file that `git archive` marks."""
    # a git hook exports where its own repository is
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    root = tmp_path / "tree"
    (root / "boa_description").mkdir(parents=True)
    (root / "package.xml").write_text("<package><version>1.4.0</version></package>\n")
    for name in (".gitattributes", "boa_description/archive.txt", "boa_description/version.py"):
        shutil.copy(ROOT / name, root / name)
    git(tmp_path, "init", "--quiet", str(root))
    git(root, "add", ".")
    git(root, "commit", "--quiet", "-m", "first")
    return root


def test_a_tagged_commit_is_its_tag(tree):
    git(tree, "tag", "v1.4.0")
    assert tree_version(tree) == "1.4.0"


def test_a_commit_without_a_tag_is_named(tree):
    commit = git(tree, "rev-parse", "--short=7", "HEAD")
    assert tree_version(tree) == f"1.4.0.dev0+g{commit}"


def test_commits_after_the_release_come_after_it(tree):
    git(tree, "tag", "v1.4.0")
    git(tree, "commit", "--quiet", "--allow-empty", "-m", "second")
    assert re.fullmatch(r"1\.4\.0\.post1\+g[0-9a-f]{7}", tree_version(tree))


def test_commits_after_an_older_release_come_before_the_next(tree):
    git(tree, "tag", "v1.3.0")
    git(tree, "commit", "--quiet", "--allow-empty", "-m", "second")
    assert re.fullmatch(r"1\.4\.0\.dev1\+g[0-9a-f]{7}", tree_version(tree))


@pytest.mark.parametrize("tag", ["v1.4.0", None])
def test_changed_files_are_said(tree, tag):
    if tag:
        git(tree, "tag", tag)
    (tree / "package.xml").write_text("<package><version>1.4.0</version> </package>\n")
    assert re.fullmatch(r"1\.4\.0\.\w+0\+g[0-9a-f]{7}\.dirty", tree_version(tree))


def test_asking_leaves_the_index_alone(tree):
    """Whoever is killed while it is written leaves a lock that stops the next commit."""
    changed = (tree / "package.xml").stat().st_mtime_ns + 5_000_000_000
    os.utime(tree / "package.xml", ns=(changed, changed))  # git would note that it is the same
    before = (tree / ".git" / "index").stat()
    assert "dirty" not in tree_version(tree)
    after = (tree / ".git" / "index").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_other_tags_do_not_count(tree):
    git(tree, "tag", "measured-in-may")
    assert tree_version(tree).startswith("1.4.0.dev0+g")


@pytest.mark.parametrize("tag", ["v1.4.0", None])
def test_an_archive_knows_its_commit(tree, tmp_path, tag):
    if tag:
        git(tree, "tag", tag)
    expected = tree_version(tree)
    git(tree, "archive", "--output", str(tmp_path / "tree.zip"), "HEAD")
    shutil.unpack_archive(tmp_path / "tree.zip", tmp_path / "unpacked")
    assert tree_version(tmp_path / "unpacked") == expected


def test_a_tree_in_somebody_elses_repository_is_not_called_after_it(tree):
    inner = tree / "inner"
    inner.mkdir()
    shutil.copy(tree / "package.xml", inner)
    assert tree_version(inner) == "1.4.0.dev0+unknown"


def test_an_sdist_keeps_its_version(tree):
    (tree / "PKG-INFO").write_text("Metadata-Version: 2.1\nVersion: 1.2.3+gabc1234\n")
    assert tree_version(tree) == "1.2.3+gabc1234"


def test_a_package_without_version_is_refused(tmp_path):
    (tmp_path / "package.xml").write_text("<package/>")
    with pytest.raises(ValueError, match=r"package\.xml' has no <version>"):
        announced_version(tmp_path)


@pytest.mark.parametrize(
    "described",
    ["", "v0.2.0", "v0.2.0-0-gabc1234-dirty", "v0.1.0-3-gabc1234", "abc1234", "abc1234-dirty"],
)
def test_every_version_can_be_installed(described):
    assert re.fullmatch(PEP_440, public_version("0.2.0", described))


def test_the_file_runs_alone_as_setup_needs_it(tree):
    code = "from runpy import run_path; print(run_path('version.py')['software_version']())"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        cwd=tree / "boa_description",
        env={"PATH": os.environ["PATH"]},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == tree_version(tree)
