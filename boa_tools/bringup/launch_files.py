# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The launch files of this package, by name."""

from __future__ import annotations

from pathlib import Path

from boa_description.errors import unknown_name
from boa_tools.bringup.description import Bringup
from boa_tools.bringup.hoal import HOAL

LAUNCH_FILES: dict[str, Bringup] = {bringup.name: bringup for bringup in (HOAL,)}


def find_launch_file(name: str) -> Bringup:
    """The launch file of that name; a path to it will do. Raises BoaError with the names that there
    are.
    """
    short = Path(name).name
    if short not in LAUNCH_FILES:
        raise unknown_name("launch file", name, LAUNCH_FILES)
    return LAUNCH_FILES[short]
