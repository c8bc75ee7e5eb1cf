# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The experiment that the parameters `scenario`, `duration`, `control_rate` and `frame_prefix`, the
same for all nodes, and `identified` stand for.
"""

from __future__ import annotations

from pathlib import Path

from boa_control.experiments.experiment import Experiment, prepare
from boa_control.experiments.identified import with_identified
from boa_control.experiments.library import at_control_rate, load_scenario, with_frame_prefix
from boa_control.interface import ENDLESS, OF_THE_SCENARIO
from boa_description.errors import BoaError


def chosen_experiment(
    scenario: str,
    duration: float = OF_THE_SCENARIO,
    control_rate: float = OF_THE_SCENARIO,
    frame_prefix: str = "",
    identified: str = "",
) -> Experiment:
    """Load and work out a scenario, with another end, control rate or frame prefix where one is
    given, and with what the file `identified` knows of the gearboxes.

    Raises:
        BoaError: wrong scenario, duration, control rate, frame prefix or file.
    """
    if duration < 0 and duration != OF_THE_SCENARIO:
        raise BoaError(
            f"parameter duration is {duration}; expected seconds, 0 for no end, -1 for the "
            f"scenario's own"
        )
    loaded = load_scenario(scenario)
    if control_rate != OF_THE_SCENARIO:
        loaded = at_control_rate(loaded, control_rate)
    if frame_prefix:
        loaded = with_frame_prefix(loaded, frame_prefix)
    if identified:
        loaded = with_identified(loaded, Path(identified))
    if duration == OF_THE_SCENARIO:
        return prepare(loaded)
    changes = {"distance": None} | ({} if duration == ENDLESS else {"duration": duration})
    return prepare(loaded.model_copy(update=changes))
