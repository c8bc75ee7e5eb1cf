# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The one error type for wrong input, and its wording."""

import sysconfig
import traceback
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

NEAREST = 3  # names that an error offers where it does not list them all


class BoaError(Exception):
    """Wrong input: says what is wrong, where, and what would be right.

    The command line prints it as one line and exits with status 2; nodes log it and refuse.
    """


def unknown_name(
    kind: str, name: str, valid: Iterable[str], where: str = "", listed_by: str = ""
) -> BoaError:
    """Return the error for a name that does not exist, with the nearest and all valid names.

    Args:
        listed_by: command that lists the valid names, where they are too many for one line; the
            error then has the nearest three and the command.
    """
    names = sorted(valid)
    near = get_close_matches(name, names, n=NEAREST if listed_by else 1)
    hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else "."
    known = f"All of them: {listed_by}" if listed_by else f"Valid: {', '.join(names) or 'none'}"
    place = f"{where}: " if where else ""
    return BoaError(f"{place}unknown {kind} '{name}'{hint} {known}")


def described(error: BaseException) -> str:
    """Kind and text of an error, in one line."""
    text = error.msg if isinstance(error, SyntaxError) else " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def raised(error: BaseException) -> str:
    """The same with file and line, of libraries those that called them; none where the call
    itself was wrong.
    """
    _, *inside = traceback.extract_tb(error.__traceback__)
    libraries = tuple(map(sysconfig.get_path, ("stdlib", "purelib", "platlib")))
    own = [frame for frame in inside if not frame.filename.startswith(libraries)] or inside
    where = f" in {Path(own[-1].filename).name}, line {own[-1].lineno}" if own else ""
    return described(error) + where
