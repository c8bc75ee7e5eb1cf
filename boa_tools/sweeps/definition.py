# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The JSON file in a folder of many runs that says what is run."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from boa_description.errors import BoaError

FORMAT = 1


def read_definition(path: Path, what: str, needed: Iterable[str] = ()) -> dict[str, Any]:
    """What is run in the folder of `path`, with at least the keys `needed`.

    Args:
        what: the folder is of, for people: "a sweep".

    Raises:
        BoaError: there is no such file, it has another format, or is damaged.
    """
    if not path.is_file():
        raise BoaError(f"'{path.parent}' is not the folder of {what}: it has no {path.name}")
    try:
        known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if known["format"] != FORMAT:
            raise BoaError(f"{path} has format {known['format']}, this version reads {FORMAT}")
        for key in needed:
            known[key]
    except (ValueError, KeyError, TypeError) as error:
        raise damaged(path) from error
    return known


def damaged(path: Path) -> BoaError:
    """The file cannot be used."""
    return BoaError(f"{path} is damaged; begin anew in another folder")
