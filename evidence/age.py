# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How old a claim is: what became of the code that it depends on since it was measured."""

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from boa_description.errors import BoaError
from evidence.claims import Claim

MOST_RELEASES = 1  # that may have been made since, where the code has changed


@dataclass(frozen=True, slots=True)
class Age:
    """Attributes:
    changes: commits since then that changed the code it depends on.
    releases: made since then.
    """

    changes: int
    releases: int

    @property
    def overdue(self) -> bool:
        """Whether it must be measured again before anything else is released."""
        return self.changes > 0 and self.releases > MOST_RELEASES


def age(root: Path, claim: Claim) -> Age:
    """The age of a claim in the repository at `root`.

    Raises:
        BoaError: git does not know the commit.
    """
    since = f"{claim.commit}..HEAD"
    changes = git(root, "rev-list", "--count", since, "--", *claim.depends)
    tags = git(root, "tag", "--contains", claim.commit, "--merged", "HEAD", "v[0-9]*")
    return Age(int(changes), len(tags.split()))


def ages(root: Path, claims: Mapping[str, Claim]) -> dict[str, Age]:
    """Of all claims that have a commit, by name; git is asked once for what they share.

    Raises:
        BoaError: git does not know a commit.
    """
    known: dict[tuple[str, tuple[str, ...]], Age] = {}
    found = {}
    for name, claim in claims.items():
        if claim.commit:
            key = (claim.commit, claim.depends)
            known[key] = found[name] = known.get(key) or age(root, claim)
    return found


def has_history(root: Path) -> bool:
    """Whether this is a whole clone: an unpacked archive, or a shallow one, tells no age."""
    try:
        return git(root, "rev-parse", "--is-shallow-repository").strip() == "false"
    except BoaError:
        return False


def git(root: Path, *words: str) -> str:
    """What git answers. Raises BoaError."""
    try:
        done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True)
    except OSError as error:
        raise BoaError(f"git cannot be run ({error.strerror}); install it") from error
    if done.returncode:
        reason = done.stderr.strip().splitlines()[0]
        raise BoaError(f"git {words[0]}: {reason}; the age of claims needs a whole clone")
    return done.stdout
