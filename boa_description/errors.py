"""The one error type for wrong input, and its wording."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class BoaError(Exception):
    """Wrong input: says what is wrong, where, and what would be right.

    The command line prints it as one line and exits with status 2; nodes log it and refuse.
    """


def unknown_name(kind: str, name: str, valid: Iterable[str], where: str = "") -> BoaError:
    """Return the error for a name that does not exist, with the nearest and all valid names."""
    names = sorted(valid)
    near = get_close_matches(name, names, n=1)
    hint = f"; did you mean '{near[0]}'?" if near else "."
    place = f"{where}: " if where else ""
    return BoaError(f"{place}unknown {kind} '{name}'{hint} Valid: {', '.join(names) or 'none'}")
