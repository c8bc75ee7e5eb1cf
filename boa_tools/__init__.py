# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tools of the user: the `boa` command, runs, reports, bags, benchmarks, bring-up. In Python:
`boa_tools.load(RUN)`, a recorded run as arrays.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boa_tools.export.recorded import Run


def load(source: str | Path) -> Run:
    """Read a run: its results folder, a bag folder, or an .mcap file.

    Raises:
        BoaError: there is no bag, or it cannot be read.
    """
    from boa_tools.export.recorded import load as read  # late: `boa --help` imports this package

    return read(source)
