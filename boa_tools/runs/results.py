# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Results folders: where a run writes, whole or not at all. How a run came about, beside its
results. The scenario of a run as text, for results folders and bags.
"""

import json
import platform
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import yaml

from boa_control.experiments.own_files import own_files, with_own_files
from boa_control.experiments.scenario import Scenario
from boa_control.plant import PlantError
from boa_control.safety.ended import Ended
from boa_description.errors import BoaError
from boa_description.version import software_version

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
TABLE = "table.md"  # of a set with seeds
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

    It claims the name: another run that would write there is refused. Wrong input, a package that
    cannot be imported, Ctrl-C, and a plant or controller that fails before there is anything to
    keep leave nothing; of a full disk, of an error in the program and of a run that is killed it
    remains.

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
            f"'boa bag recover {shlex.quote(str(scratch))}', remove it, or choose another folder"
        ) from error
    try:
        yield scratch
        scratch.replace(directory)
    except (BoaError, PlantError, KeyboardInterrupt, ImportError):
        shutil.rmtree(scratch, ignore_errors=True)
        with suppress(OSError):  # another run has begun there
            for parent in missing:
                parent.rmdir()
        raise
    except OSError as error:
        raise OSError(
            error.errno,
            f"'{scratch}' cannot be written: {error.strerror}; what was written remains there. "
            f"Make room, then save its bag by 'boa bag recover {shlex.quote(str(scratch))}'",
        ) from error


def write_text(path: Path, text: str) -> None:
    """Write a file so that a reader finds the old or the new one, never half of it."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """The same for what is no text."""
    with replacing(path) as scratch:
        scratch.write_bytes(content)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a file beside `path`, of the same suffix, which takes its place once it is written, and
    is gone where that fails. Raises OSError with `path`: nobody knows the other name.
    """
    scratch = path.with_name(f".{path.stem}.part{path.suffix}")
    try:
        yield scratch
        scratch.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    finally:
        with suppress(OSError):
            scratch.unlink(missing_ok=True)


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


def write_record(
    directory: Path,
    scenario: str,
    seed: int | None,
    ended: Ended,
    trace: str = "",
    calibration: str | None = None,
) -> None:
    """Write how the run came about: seed, why it ended, how a robot was calibrated, versions of
    what took part. `trace`: last lines of the traceback of a controller that raised.
    """
    versions = {"boa_control": software_version()}
    versions |= {name: version(name) for name in ("mujoco", "numpy")}
    record = {
        "scenario": scenario,
        "seed": seed,
        **ended.record(),
        **({"traceback": trace.splitlines()} if trace else {}),
        **({"calibration": calibration} if calibration else {}),
        "written": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "python": platform.python_version(),
        "machine": platform.platform(),
        "versions": versions,
    }
    keep_record(directory, record)


def read_record(directory: Path) -> dict[str, Any] | None:
    """The record of a results folder; None where there is none."""
    return read_json(directory / RUN)


def read_json(path: Path) -> dict[str, Any] | None:
    """What a file of a results folder has; None where there is none.

    Raises:
        BoaError: it is damaged.
    """
    if not path.is_file():
        return None
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BoaError(f"'{path}' is damaged; remove it: the bag has the run") from error
    return content


def keep_record(directory: Path, record: Mapping[str, Any]) -> None:
    """Write a record, in place of the one that is there."""
    write_text(directory / RUN, json.dumps(record, indent=2) + "\n")


def scenario_text(scenario: Scenario) -> str:
    """The scenario as it is run, as YAML; what was left out stays out and has its default."""
    return yaml.safe_dump(scenario.model_dump(mode="json", exclude_unset=True), sort_keys=False)


def write_scenario(folder: Path, scenario: Scenario) -> None:
    """Write scenario.yaml into a results folder, with copies of the user's files that it names, if
    it has such: the folder repeats the run as it was, wherever it is moved.

    Raises:
        BoaError: one of them does not exist.
    """
    for path in own_files(scenario):
        if not path.is_file():
            raise BoaError(
                f"scenario {scenario.name} names '{path}', which is no file; correct its path"
            )
        shutil.copyfile(path, folder / path.name)
    beside = with_own_files(scenario, lambda path: f"./{path.name}")
    write_text(folder / SCENARIO, scenario_text(beside))
