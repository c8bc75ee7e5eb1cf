# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The plant contract: what a simulated and a physical robot have in common.

A plant is whatever turns joint torques into sensor readings. `read` gives the newest complete
sample, `write` sends torques for the coming control period. For controllers only
`boa_control.safety.supervisor.Supervisor` calls `write`, after the torque gate.
"""

from boa_control.plant.contract import Plant, PlantError, Simulation, checked_torque, truth_of
from boa_control.plant.deferred import Deferred, Part, parts, put_together
from boa_control.plant.samples import (
    ForceSample,
    ImuSample,
    Sample,
    SensorFrame,
    force_components,
    force_sizes,
    new_samples,
    orientations,
)
from boa_control.plant.true_contacts import (
    FLOOR,
    ContactTruth,
    DeferredContacts,
    TruthColumns,
    truth_columns,
)
from boa_control.plant.truth import (
    GroundTruth,
    LinkMotions,
    PlanarMotions,
    PlanarTruth,
    SpatialTruth,
    base_of,
    link_motions,
    planar_motions,
    pose_of,
)

__all__ = [
    "FLOOR",
    "ContactTruth",
    "Deferred",
    "DeferredContacts",
    "ForceSample",
    "GroundTruth",
    "ImuSample",
    "LinkMotions",
    "Part",
    "PlanarMotions",
    "PlanarTruth",
    "Plant",
    "PlantError",
    "Sample",
    "SensorFrame",
    "Simulation",
    "SpatialTruth",
    "TruthColumns",
    "base_of",
    "checked_torque",
    "force_components",
    "force_sizes",
    "link_motions",
    "new_samples",
    "orientations",
    "parts",
    "planar_motions",
    "pose_of",
    "put_together",
    "truth_columns",
    "truth_of",
]
