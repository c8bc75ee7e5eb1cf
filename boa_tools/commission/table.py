# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The steps in their order."""

from boa_tools.commission.step import Step
from boa_tools.commission.steps.buses import Buses
from boa_tools.commission.steps.dry_run import DryRun
from boa_tools.commission.steps.forces import Forces
from boa_tools.commission.steps.friction import Friction
from boa_tools.commission.steps.imus import Imus
from boa_tools.commission.steps.joints import Joints
from boa_tools.commission.steps.rest import Rest
from boa_tools.commission.steps.straight import Straight
from boa_tools.commission.steps.torques import Torques

STEPS: tuple[Step, ...] = (
    Buses(),
    Imus(),
    Joints(),
    Straight(),
    Forces(),
    Torques(),
    Friction(),
    DryRun(),
)
CHECKS: tuple[Step, ...] = (Buses(), Rest(), Torques())  # what can be repeated without hands
