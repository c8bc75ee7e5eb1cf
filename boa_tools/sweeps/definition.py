# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The file that says what is run in a folder of many runs: written when they begin, read by whoever
goes on with them.
"""

import json
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from boa_description.errors import BoaError
from boa_tools.runs import results

FORMAT = 1
SHORT = 80  # letters, of two values that an error shows
WORDS = {"digest": "scenario's content", "vary": "variation"}  # for people; else the key itself


def begin(
    path: Path,
    given: Mapping[str, Any],
    what: str,
    write: Callable[[Path], object],
    *,
    identity: Iterable[str] = (),
    files: Iterable[Path] = (),
    remedy: str = "",
) -> None:
    """Make the folder of `path`, or keep one in which these very runs have begun.

    Args:
        path: of the definition.
        given: its content.
        what: the folder is of, for people: "a sweep".
        write: puts the rest into a new folder.
        identity: keys that tell two of them apart (default: all of `given`).
        files: of the user, of which the folder has copies.
        remedy: besides choosing another folder.

    Raises:
        BoaError: it is of other runs, holds something else, or cannot be made.
    """
    directory, given = path.parent, json.loads(json.dumps(given))
    if not path.is_file():
        results.results_directory(str(directory), directory.name)
        with results.staged(directory) as scratch:
            write(scratch)
            results.write_json(scratch / path.name, given)
        return
    keys = tuple(identity) or tuple(given)
    known, choose = read_definition(path, what, keys), f"choose another --out{remedy}"
    for key in keys:
        if known[key] != given[key]:
            raise BoaError(
                f"'{directory}' holds another {what.partition(' ')[2]}, whose "
                f"{WORDS.get(key, key)} differs{_how(known[key], given[key])}; {choose}"
            )
    for file in files:
        if file.read_bytes() != (directory / file.name).read_bytes():
            raise BoaError(f"'{file}' is not what it was when '{directory}' began; {choose}")


def _how(known: Any, given: Any) -> str:
    """In which key, or from what to what where that is short; else empty."""
    if isinstance(known, dict) and isinstance(given, dict):
        return f" in its {next(k for k in {**known, **given} if known.get(k) != given.get(k))}"
    told = f" ({known}; here {given})"
    return told if len(told) < SHORT else ""


def go_on_by(command: str, directory: Path) -> str:
    """The remedy of a command with `resume`."""
    return f", or go on with: boa {command} resume {shlex.quote(str(directory))}"


def read_definition(path: Path, what: str, needed: Iterable[str] = ()) -> dict[str, Any]:
    """What is run in the folder of `path`, with at least the keys `needed`.

    Args:
        what: the folder is of, for people: "a sweep".

    Raises:
        BoaError: there is no such file, it has another format, or is damaged.
    """
    if not path.is_file():
        raise BoaError(f"'{path.parent}' is not the folder of {what}: it has no {path.name}")
    with undamaged(path):
        known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if known.get("format", FORMAT) != FORMAT:
            raise BoaError(f"{path} has format {known['format']}, this version reads {FORMAT}")
        for key in needed:
            known[key]
    return known


@contextmanager
def undamaged(path: Path) -> Iterator[None]:
    """Raises BoaError where what the file has cannot be used."""
    try:
        yield
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BoaError(f"{path} is damaged; begin anew in another folder") from error
