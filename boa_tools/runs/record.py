# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a run came about, beside its results."""

from __future__ import annotations

import json
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from boa_control.safety.ended import Ended
from boa_description.version import software_version
from boa_tools.runs import results


def write_record(
    directory: Path,
    scenario: str,
    seed: int | None,
    ended: Ended,
    calibration: str | None = None,
) -> None:
    """Write how the run came about: seed, why it ended, how a robot was calibrated, versions of
    what took part.
    """
    versions = {"boa_control": software_version()}
    versions |= {name: version(name) for name in ("mujoco", "numpy")}
    record = {
        "scenario": scenario,
        "seed": seed,
        **ended.record(),
        **({"calibration": calibration} if calibration else {}),
        "written": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "python": platform.python_version(),
        "machine": platform.platform(),
        "versions": versions,
    }
    results.write_text(directory / results.RUN, json.dumps(record, indent=2) + "\n")
