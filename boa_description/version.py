# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The version of this software, from git.

A tagged commit is its tag, `0.2.0`. Any other commit carries the commit and, when files differ from
it, `dirty`: `0.2.0.dev0+g4829e12` before the release that package.xml announces,
`0.2.0.post3+g4829e12.dirty` three commits after it. Needs nothing but Python, since setup.py runs
this file alone.
"""

import re
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from pathlib import Path

DISTRIBUTION = "boa_control"
ARCHIVE = "archive.txt"  # beside this file; `git archive` writes the commit into it
UNKNOWN = "unknown"
DESCRIBE = (
    "describe",
    "--tags",
    "--always",
    "--long",
    "--abbrev=7",
    "--match",
    "v[0-9]*",
)
CHANGED = ("status", "--porcelain", "--untracked-files=no")


@cache
def software_version() -> str:
    """Return the version (PEP 440) of the running code.

    A source tree tells its own: from git, from the marks of `git archive`, or from the PKG-INFO of
    an sdist. Elsewhere it is the one that was installed.
    """
    root = Path(__file__).resolve().parents[1]
    if (root / "package.xml").is_file():
        return tree_version(root)
    try:
        return installed_version(DISTRIBUTION)
    except PackageNotFoundError:
        return f"0+{UNKNOWN}"


def tree_version(root: Path) -> str:
    """Return the version of the source tree at `root`; `+unknown` when nothing tells its commit."""
    information = root / "PKG-INFO"
    if information.is_file():
        match = re.search(
            r"^Version: (\S+)$", information.read_text(encoding="utf-8"), re.MULTILINE
        )
        if match:
            return match[1]
    return public_version(announced_version(root), _from_git(root) or _from_archive(root))


def public_version(announced: str, described: str) -> str:
    """Turn an answer of `git describe` into a version.

    Args:
        announced: version in package.xml: the next release, or the last one.
        described: `v0.2.0` (in an archive), `v0.2.0-3-g4829e12` or, without a tag, `4829e12`,
            each perhaps with `-dirty`; empty when unknown.
    """
    commit, dirty = re.subn(r"-dirty$", "", described)
    tagged = re.fullmatch(r"v([0-9.]+)(?:-(\d+)-(g[0-9a-f]+))?", commit)
    if tagged is None:
        tag, distance, mark = "", "0", f"g{commit}" if commit else UNKNOWN
    else:
        tag, distance, mark = tagged[1], tagged[2] or "0", tagged[3]
        if distance == "0" and not dirty:
            return tag
    kind = "post" if tag == announced else "dev"
    return f"{announced}.{kind}{distance}+{mark}{'.dirty' if dirty else ''}"


def announced_version(root: Path) -> str:
    """Return the version in package.xml, which ROS needs as plain numbers."""
    text = (root / "package.xml").read_text(encoding="utf-8")
    match = re.search(r"<version>([0-9]+\.[0-9]+\.[0-9]+)</version>", text)
    if match is None:
        raise ValueError(f"'{root / 'package.xml'}' has no <version> of three numbers; add one")
    return match[1]


def _from_git(root: Path) -> str:
    """Version of the tree from git; empty without git or when `root` is no checkout's own root."""
    if not (root / ".git").exists():
        return ""
    # a build as another user than the files' owner, as in a container, may read them all the same
    # no lock: a node that is killed meanwhile would leave one behind. `git describe --dirty` takes
    # it all the same, `git status` does not
    git = ["git", "--no-optional-locks", "-c", f"safe.directory={root}", "-C", str(root)]
    try:
        described, changed = (
            subprocess.run([*git, *words], capture_output=True, text=True, check=True, timeout=10)
            for words in (DESCRIBE, CHANGED)
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return described.stdout.strip() + ("-dirty" if changed.stdout else "")


def _from_archive(root: Path) -> str:
    """Version that `git archive` wrote: the nearest tag or the commit."""
    path = root / Path(__file__).parent.name / ARCHIVE
    try:
        words = path.read_text(encoding="utf-8").split()
    except OSError:
        return ""
    return words[0] if words and "$" not in words[0] else ""
