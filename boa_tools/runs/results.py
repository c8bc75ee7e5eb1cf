# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Results folders: where a run writes, whole or not at all."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from boa_description.errors import BoaError

SCENARIO = "scenario.yaml"
RUN = "run.json"
BAG = "bag"
METRICS = "metrics.json"
PLOTS = "plots"
PICTURE = "picture.png"
MAP = "map.yaml"  # where the run has corrected its map
IDENTIFIED = "identified.yaml"  # where the run has learnt its gearboxes
VIDEO = "video.mp4"
REPORT = "report.html"
SEEDS = "seeds.json"  # of several seeds, instead of RUN and BAG
COMPARISON = "comparison.json"  # of a set
TABLE, BARS = "table.md", "bars.png"  # of a set with seeds
INCOMPLETE = ".incomplete"  # behind the name of a folder until everything is in it


def results_directory(out: str | None, name: str) -> Path:
    """Folder a run shall write to: `out`, else `results/<name>-<date>-<time>`. Creates nothing.

    Raises:
        BoaError: the folder holds something already, or cannot be created.
    """
    directory = Path(out) if out else Path("results") / f"{name}-{datetime.now():%Y%m%d-%H%M%S}"
    if directory.is_dir():
        if any(directory.iterdir()):
            raise BoaError(
                f"output folder '{directory}' is not empty; choose another one or remove it"
            )
    elif directory.exists():
        raise BoaError(f"output '{directory}' is a file; choose a folder that does not exist yet")
    _try_writing(_existing(directory.absolute()), directory)
    return directory


@contextmanager
def staged(directory: Path) -> Iterator[Path]:
    """Give the folder `NAME.incomplete` beside `directory`, which becomes it at the end.

    It claims the name: another run that would write there is refused. Wrong input and Ctrl-C leave
    nothing; of a full disk, of an error in the program and of a run that is killed it remains.

    Raises:
        BoaError: it is there already.
        OSError: the disk takes no more, with what remains where.
    """
    missing = _missing_parents(directory)
    directory.parent.mkdir(parents=True, exist_ok=True)
    scratch = directory.with_name(directory.name + INCOMPLETE)
    try:
        scratch.mkdir()
    except FileExistsError as error:
        raise BoaError(
            f"'{scratch}' exists: another run writes to it, or one was cut off; save its bag by "
            f"'boa bag recover {scratch}', remove it, or choose another folder"
        ) from error
    try:
        yield scratch
        scratch.replace(directory)
    except (BoaError, KeyboardInterrupt):
        shutil.rmtree(scratch, ignore_errors=True)
        for parent in missing:
            parent.rmdir()
        raise
    except OSError as error:
        raise OSError(
            error.errno,
            f"'{scratch}' cannot be written: {error.strerror}; what was written remains there. "
            f"Make room, then save its bag by 'boa bag recover {scratch}'",
        ) from error


def write_text(path: Path, text: str) -> None:
    """Write a file so that a reader finds the old or the new one, never half of it."""
    scratch = path.with_name(f".{path.name}.part")
    scratch.write_text(text, encoding="utf-8")
    scratch.replace(path)


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file as `write_text` does. Raises ValueError for numbers that are not finite."""
    write_text(path, json.dumps(content, indent=2, allow_nan=False) + "\n")


def _try_writing(parent: Path, directory: Path) -> None:
    """Make a folder and remove it again: permissions do not tell of read-only, remote or special
    file systems.
    """
    try:
        tempfile.TemporaryDirectory(prefix=".boa-", dir=parent).cleanup()
    except OSError as error:
        raise BoaError(
            f"output folder '{directory}' cannot be created: '{parent}' is not a folder one may "
            f"write to ({error.strerror})"
        ) from error


def _existing(path: Path) -> Path:
    while not path.exists():
        path = path.parent
    return path


def _missing_parents(directory: Path) -> list[Path]:
    """Parents of `directory` that do not exist yet, innermost first."""
    missing = []
    parent = directory.absolute().parent
    while not parent.exists():
        missing.append(parent)
        parent = parent.parent
    return missing
