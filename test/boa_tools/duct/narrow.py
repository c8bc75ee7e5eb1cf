# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The task of two variables in the narrow duct."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from boa_sim.duct.model import DUCTS, READINGS, DuctGait
from boa_sim.duct.run import DuctRun, drive
from boa_tools.duct.task import DuctTask, variable
from boa_tools.optimisers.space import Space

SPACE = Space((variable("amplitude"), variable("delay")))


class Brief(DuctTask):
    """Runs of 4 s instead of 20, where it does not matter how far a gait comes."""

    def run(self, values: Mapping[str, float]) -> DuctRun:
        """See DuctTask."""
        gait = replace(self.gait, **values)
        return drive(READINGS[self.reading], DUCTS[self.width], gait, duration=4.0)


NARROW = DuctTask("narrow", "resolved", "distance", SPACE, DuctGait())
BRIEF = Brief("narrow", "resolved", "distance", SPACE, DuctGait())
