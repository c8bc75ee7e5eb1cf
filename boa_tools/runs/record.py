# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a run came about, beside its results."""

from __future__ import annotations

import json
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from boa_control.safety.ended import Ended
from boa_description.version import software_version
from boa_tools.runs import results


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
    results.write_text(directory / results.RUN, json.dumps(record, indent=2) + "\n")


def read_ended(directory: Path) -> Ended | None:
    """Why the run of a results folder ended; None where no record says it."""
    record = _read(directory)
    return None if record is None else Ended.of(record)


def add_sentence(directory: Path, sentence: str) -> None:
    """Put the sentence with which the run ended into its record, which exists."""
    record = _read(directory)
    assert record is not None
    record["sentence"] = sentence
    results.write_text(directory / results.RUN, json.dumps(record, indent=2) + "\n")


def _read(directory: Path) -> dict[str, Any] | None:
    path = directory / results.RUN
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
