# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`python -m boa_sim.compiled` leaves nothing to compile for the first simulation."""

from __future__ import annotations

import sys

import numpy as np

from boa_control.experiments.change import changed
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_sim.compiled import main
from boa_sim.duct.model import NARROW, PRINTED, DuctGait
from boa_sim.duct.run import drive
from boa_sim.factory import plant_from_experiment


def compiled() -> dict[str, int]:
    """How many versions of every kernel of a simulation there are."""
    return {
        f"{name}.{kernel}": len(value.signatures)
        for name, module in list(sys.modules.items())
        if name.startswith(("boa_sim.engines.moreau.", "boa_sim.duct."))
        for kernel, value in vars(module).items()
        if hasattr(value, "signatures")
    }


def test_planar_robots_and_other_ducts_need_no_other_kernels() -> None:
    main()
    before = compiled()
    assert before["boa_sim.engines.moreau.newton.newton_step"] == 1
    plant = plant_from_experiment(
        prepare(changed(load_scenario("boa_circle"), {"plant.engine": "moreau"}))
    )
    plant.arm()
    for _ in range(20):
        plant.write(np.zeros(plant.robot.joints))
    drive(PRINTED, NARROW, DuctGait(), duration=1.0)
    assert compiled() == before
