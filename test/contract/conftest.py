# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The plants that must keep the contract. A new plant is one more entry in `CASES`; the tests stay
as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from boa_control.experiments.scenario import Effects, PlantSettings
from boa_control.plant import Plant, SensorFrame
from boa_description.arrays import Array
from boa_description.load import load_robot
from boa_hardware.config import RobotSettings, Topology
from boa_hardware.emulator.boa import EmulatedBoa
from boa_sim.plant import SimulatedPlant
from test.boa_hardware.virtual import VirtualRobot


@dataclass(frozen=True, slots=True)
class PlantCase:
    """One plant under test.

    Attributes:
        name: shown in test names.
        open: gives a disarmed plant, a free straight chain at rest on a frictionless floor, and
            cleans up.
        real_time: `read` waits for a bus cycle, so stamps follow a clock and a tick may come late.
    """

    name: str
    open: Callable[[], AbstractContextManager[Plant]]
    real_time: bool = False


CHAIN = f"{Path(__file__).parents[1] / 'engines' / 'planar_chain.py'}:ChainWorld"


def _simulated(
    fidelity: str, engine: str = "mujoco"
) -> Callable[[], AbstractContextManager[Plant]]:
    effects = Effects.model_validate({"fidelity": fidelity})
    settings = PlantSettings(engine=engine, control_rate=200, effects=effects)
    return lambda: closing(SimulatedPlant(load_robot("boa13"), settings=settings))


@contextmanager
def _emulated(topology: Topology) -> Iterator[Plant]:
    """The robot's drivers on emulated buses, in simulated time."""
    robot = VirtualRobot(EmulatedBoa(RobotSettings(topology=topology)))
    with robot.plant:
        yield robot.plant


CASES = (
    PlantCase("mujoco-ideal", _simulated("ideal")),
    PlantCase("mujoco-datasheet", _simulated("datasheet")),
    PlantCase("moreau-ideal", _simulated("ideal", "moreau")),
    PlantCase("moreau-datasheet", _simulated("datasheet", "moreau")),
    PlantCase("planar-chain", _simulated("ideal", CHAIN)),
    PlantCase("robot-rs485", lambda: _emulated("rs485"), real_time=True),
    PlantCase("robot-spine", lambda: _emulated("spine"), real_time=True),
)


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> PlantCase:
    chosen: PlantCase = request.param
    return chosen


@pytest.fixture
def real_time(case: PlantCase) -> bool:
    return case.real_time


@pytest.fixture
def plant(case: PlantCase) -> Iterator[Plant]:
    with case.open() as opened:
        yield opened


@pytest.fixture
def drive(plant: Plant) -> Callable[..., list[SensorFrame]]:
    """`drive(seconds, torque)`: run the plant's cycle; `torque` is an array or a function of time
    (s).
    """

    def run(
        seconds: float, torque: Array | Callable[[float], Array] | float = 0.0
    ) -> list[SensorFrame]:
        frames = [plant.read()]
        start = frames[0].stamp_ns
        while frames[-1].stamp_ns - start < seconds * 1e9:
            now = (frames[-1].stamp_ns - start) * 1e-9
            torque_now = torque(now) if callable(torque) else torque
            plant.write(
                np.broadcast_to(np.asarray(torque_now, float), (plant.robot.joints,)).copy()
            )
            frames.append(plant.read())
        return frames

    return run
