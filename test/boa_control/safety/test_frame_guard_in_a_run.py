# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Frames that lack a joint, in a run and in its replay."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.experiments.build import build_controller
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.plant import SensorFrame
from boa_sim.factory import plant_from_experiment
from boa_tools.runs.drive import drive
from boa_tools.runs.loop import Tick
from boa_tools.runs.replay import replay

pytestmark = pytest.mark.closed_loop


class Ticks(list[Tick]):
    """Keeps the ticks of a run."""

    def add(self, tick: Tick) -> None:
        self.append(tick)


def test_hoal_goes_on_after_joints_were_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """One NaN ended it with an exception, or left all its torques NaN for ever."""
    scenario = load_scenario("boa_friction_010").model_copy(
        update={"duration": 4.5, "distance": None}
    )
    experiment = prepare(scenario)
    plant, ticks = plant_from_experiment(experiment, 0), Ticks()
    read, period = plant.read, experiment.control_period
    gaps = {"position": (1.5, 1.54), "effort": (1.8, 1.86), "velocity": (2.3, 2.5)}

    def read_with_gaps() -> SensorFrame:
        sample = read()
        for field, (begin, end) in gaps.items():
            if begin <= sample.stamp_ns * 1e-9 < end:
                values = getattr(sample, field).copy()
                values[4] = np.nan
                sample = sample._replace(**{field: values})
        return sample

    monkeypatch.setattr(plant, "read", read_with_gaps)
    result = drive(experiment, plant, build_controller(experiment), watchers=[ticks])
    plant.close()
    log, whole = result.log, np.array([tick.frame.complete for tick in ticks])
    assert result.ended.reason == "duration" and (~whole).sum() == round(0.3 / period)
    assert not log.commanded[~whole].any() and not log.applied[~whole].any()
    assert np.isfinite(log.commanded).all() and log.commanded[whole].any(axis=1).all()
    told = [event.text for event in log.events]
    assert sum("no reading of joint_05" in text for text in told) == 3
    assert told.count("torque withheld") == 2, "after gaps of more than 50 ms it takes hold anew"
    assert np.hypot(*log.sensors["joint_force"]["force"][:, :, :2].T).max() < 25.0, (
        "as on the undisturbed way"
    )
    assert log.debug["progress_rate_mps"][-1] > 0.03, "and it goes on"
    again = replay(ticks, build_controller(experiment))
    assert again.compared == log.ticks and again.largest == 0.0
