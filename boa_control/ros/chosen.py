"""The experiment that the parameters `scenario` and `duration`, the same for plant and recorder, stand for."""

from __future__ import annotations

import math

from boa_control.experiment import Experiment, prepare
from boa_control.interface import ENDLESS, OF_THE_SCENARIO
from boa_control.library import load_scenario
from boa_description.errors import BoaError


def chosen_experiment(scenario: str, duration: float) -> Experiment:
    """Load and work out a scenario, with another end where one is given.

    Raises:
        BoaError: wrong scenario or duration.
    """
    if duration != OF_THE_SCENARIO and not (math.isfinite(duration) and duration >= 0):
        raise BoaError(f"parameter duration is {duration}; expected seconds, 0 for no end, -1 for the scenario's own")
    loaded = load_scenario(scenario)
    if duration == OF_THE_SCENARIO:
        return prepare(loaded)
    changes = {"distance": None} | ({} if duration == ENDLESS else {"duration": duration})
    return prepare(loaded.model_copy(update=changes))
