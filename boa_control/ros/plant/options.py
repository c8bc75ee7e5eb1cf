# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a plant node runs, from its parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from boa_control.experiments.experiment import Experiment
from boa_control.interface import ENDLESS, TF_ALL
from boa_control.safety.supervisor import NO_CAP
from boa_description.errors import BoaError


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


def plant_options(values: dict[str, Any], experiment: Experiment) -> PlantOptions:
    """Options from node parameters.

    Raises:
        BoaError: a combination that makes no sense.
    """
    speed, lockstep = values.get("speed", 0.0), values.get("lockstep", False)
    simulated = "speed" in values
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
    )
