# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a run came about, beside its results."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
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
    keep_record(directory, record)


def read_record(directory: Path) -> dict[str, Any] | None:
    """The record of a results folder; None where there is none."""
    path = directory / results.RUN
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def keep_record(directory: Path, record: Mapping[str, Any]) -> None:
    """Write a record, in place of the one that is there."""
    results.write_text(directory / results.RUN, json.dumps(record, indent=2) + "\n")
