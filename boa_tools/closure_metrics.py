"""Share of time in which the true contacts give the closure that the scenario asks for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boa_control.experiment import Experiment
from boa_tools.contact_metrics import ContactHistory
from boa_tools.runlog import RunLog

Flags = NDArray[np.bool_]


def closure_fraction(log: RunLog, experiment: Experiment, contacts: ContactHistory, window: Flags) -> float | None:
    """Share of ticks in `window` with closure; None without true contacts or a criterion."""
    evaluation = experiment.scenario.evaluation
    if contacts.force is None or not window.any():
        return None
    if evaluation.closure == "contacts":
        if evaluation.required_contacts is None:
            return None
        held = (contacts.force[window] > 0).sum(axis=1) >= evaluation.required_contacts
        return float(held.mean())
    return None
