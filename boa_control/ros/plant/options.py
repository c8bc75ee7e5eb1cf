# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a plant node runs, from its parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from boa_control.experiments.experiment import Experiment
from boa_control.interface import ENDLESS, TF_ALL
from boa_control.ros.parameters import check_rates
from boa_control.safety.supervisor import NO_CAP
from boa_description.errors import BoaError

MOST_STEPS = 1_000_000


@dataclass(frozen=True, slots=True)
class Intervention:
    """Parameters of a simulation that may change while it runs.

    Attributes:
        wrench_duration: how long a push lasts, s.
        step_count: ticks of one ~/step.
    """

    wrench_duration: float = 0.1
    step_count: int = 1

    def changed(self, given: Mapping[str, Any]) -> Intervention:
        """With other values; names that are not its own are left to others.

        Raises:
            BoaError: out of range or of another type.
        """
        values = {name: given[name] for name in ("wrench_duration", "step_count") if name in given}
        duration = values.get("wrench_duration", self.wrench_duration)
        if type(duration) not in (int, float) or not 0 < duration <= 60:
            raise BoaError(
                f"parameter wrench_duration is {duration!r}; expected above 0 to 60 seconds"
            )
        count = values.get("step_count", self.step_count)
        if type(count) is not int or not 1 <= count <= MOST_STEPS:
            raise BoaError(f"parameter step_count is {count!r}; expected 1 to {MOST_STEPS} ticks")
        return Intervention(float(duration), count)


@dataclass(frozen=True, slots=True)
class PlantOptions:
    """How a plant node runs.

    Attributes:
        duration: s; None: never ends by itself.
        arm: arm at the first command.
        speed: simulated time per wall-clock time; None: no pace (as fast as it goes, or a robot,
            whose reads wait).
        lockstep: wait for the command that answers each tick.
        wait_for_controller, wait_for_recorder: do not start without them.
        view_rate, diagnostics_rate: Hz.
        intervention: of a simulation.
        torque_cap: largest torque of any joint, N m; NO_CAP: as the robot's limits say.
        calibration: of a robot, told whenever it is armed.
        publish_tf: how much of /tf is the plant's (`boa_control.interface.PUBLISH_TF`).
        base_link: number of the link that frame base_link is; 0: the middle one.
    """

    duration: float | None = None
    arm: bool = False
    speed: float | None = None
    lockstep: bool = False
    wait_for_controller: bool = False
    wait_for_recorder: bool = False
    view_rate: float = 30.0
    diagnostics_rate: float = 2.0
    publish_tf: str = TF_ALL
    base_link: int = 0
    torque_cap: float = NO_CAP
    calibration: str | None = None
    intervention: Intervention = Intervention()


def plant_options(values: dict[str, Any], experiment: Experiment) -> PlantOptions:
    """Options from node parameters.

    Raises:
        BoaError: a value out of range, or a combination that makes no sense.
    """
    speed, lockstep = values.get("speed", 0.0), values.get("lockstep", False)
    simulated = "speed" in values
    check_rates(values, "view_rate", "diagnostics_rate")
    if not (math.isfinite(speed) and 0 <= speed <= 1000):
        raise BoaError(
            f"parameter speed is {speed}; expected 0 (as fast as it goes) to 1000 times real time"
        )
    if simulated and speed == 0 and not lockstep:
        raise BoaError(
            "speed 0 (as fast as it goes) needs lockstep: no controller could keep up; set "
            "lockstep to true"
        )
    return PlantOptions(
        duration=None if values["duration"] == ENDLESS else experiment.scenario.duration,
        arm=values["arm"],
        speed=speed or None,
        lockstep=lockstep,
        wait_for_controller=lockstep or values["arm"],
        wait_for_recorder=values.get("wait_for_recorder", False),
        view_rate=values["view_rate"],
        diagnostics_rate=values["diagnostics_rate"],
        publish_tf=values["publish_tf"],
        base_link=values["base_link"],
        torque_cap=values["torque_cap"],
        intervention=Intervention().changed(values),
    )
