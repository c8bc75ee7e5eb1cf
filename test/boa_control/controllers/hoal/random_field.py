# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The scenario `boa_random_field` and its models, prepared once for the tests of a process."""

from __future__ import annotations

from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathModel
from boa_control.model.reference import ReferenceTable

EXPERIMENT = prepare(load_scenario("boa_random_field"))
ROBOT, PATH = EXPERIMENT.robot, EXPERIMENT.path
assert PATH is not None
REFERENCE = ReferenceTable(PATH.curve, ROBOT.links, ROBOT.link.pitch)
CHAIN = PlanarChain(ROBOT)
MODEL = PathModel(CHAIN, REFERENCE, EXPERIMENT.scenario.scene.ground)
