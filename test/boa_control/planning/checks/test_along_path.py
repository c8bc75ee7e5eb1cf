# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The chain as the check of paths samples it."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.planning.checks.along_path import RAMP, PathScan


@pytest.mark.parametrize("name", ["boa_circle", "boa_random_field"])
def test_contacts_touch_their_posts(name):
    """Where a straight piece is shorter than a link, a body with its joints on the path overlaps or
    misses its posts by up to 0.9 mm, and pushes in other directions than the robot.
    """
    experiment = prepare(load_scenario(name))
    scan = PathScan(experiment.path, experiment.robot)
    radii = np.array([post.radius for post in experiment.path.contacts])
    for s in np.linspace(*scan.extent, 60):
        sample = scan.at(float(s))
        carried = sample.contacts.inside > RAMP
        arm = (sample.points - sample.centres)[carried]
        radius = radii[sample.contacts.contact][carried]
        assert np.hypot(*arm.T) == pytest.approx(radius, abs=1.5e-4), s
        along = np.einsum("ci,ci->c", arm, sample.normals[carried])
        assert along == pytest.approx(radius, abs=1.5e-4), s
