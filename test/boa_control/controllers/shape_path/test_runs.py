# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The scenarios scp_* for the first part of their time: the rest of their figures stands in
docs/shape_control.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boa_control.experiments.change import changed
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.model.dynamics import PlanarChain
from boa_description.load import load_robot
from boa_tools.evaluation.free_motion import FreeMotion, free_motion
from boa_tools.runs.drive import RunResult, run_experiment
from boa_tools.runs.runlog import held_force

pytestmark = pytest.mark.closed_loop


def run(name: str, changes: dict[str, Any]) -> tuple[RunResult, FreeMotion]:
    at = prepare(changed(load_scenario(name), changes))
    result = run_experiment(at)
    motion = free_motion(result.log, at)
    assert motion is not None
    return result, motion


def test_it_comes_to_the_line() -> None:
    """From 0.5 m beside it, headed for it; from 1 m 0.1 m is reached after 35 s."""
    start = {"base": (-0.88, 0.5, -0.3)}
    _, motion = run("scp_line_flat", {"initial": start, "duration": 14})
    assert abs(motion.offset[-1]) < 0.1
    assert motion.progress is not None and motion.progress > 1.0


def test_a_robot_caught_at_its_start_comes_free() -> None:
    """In field 21, where the wave of the gait itself runs on the spot: 0.03 m in 12 s."""
    result, motion = run("scp_field_compliant", {"scene.fields.0.seed": 21, "duration": 15})
    texts = [event.text for event in result.log.events]
    assert texts[0] == "no progress: wave 1.5 times as wide"
    assert motion.centre[motion.time < 10, 0].max() < 0.1
    assert motion.displacement > 0.6


def test_boa_gives_way_in_a_field_that_it_does_not_know() -> None:
    """Data sheets, the gate in the loop: no trip, forces of K3D40, and the relief acts. With
    `kp` changed by 1e-6 or 1e-5 of it, it is 0.60 m on after 18 s, and 0.30 to 0.32 m after 15 s.
    """
    result, motion = run("scp_boa_field", {"scene.fields.0.seed": 101, "duration": 18})
    assert motion.progress is not None and motion.progress > 0.3
    assert not result.log.trips
    assert np.nanmax(np.abs(held_force(result.log))) < 40.0
    assert result.log.debug["relief_share"].min() < 1.0


def test_a_body_that_springs_out_of_a_jam_is_braked() -> None:
    """In field 307 it is caught for some 4 s and comes free at 10 s. Links move across themselves
    at 0.25 m/s at most then, at 0.44 m/s without `link_speed`, whatever `kp` changed by 1e-6 or
    1e-5 of it makes of the contacts in the jam, which are chaotic: 34 to 47 N.
    """
    result, motion = run("scp_boa_field", {"scene.fields.0.seed": 307, "duration": 11})
    chain, truth = PlanarChain(load_robot("boa13")), result.log.truth
    assert truth is not None
    position = np.column_stack((truth.base, truth.joint_position))
    rates = np.column_stack((truth.base_velocity, truth.joint_velocity))
    across = [
        np.abs(chain.across_rows(chain.posture(at)) @ rate).max()
        for at, rate in zip(position, rates, strict=True)
    ]
    assert 0.15 < max(across) < 0.3
    assert motion.displacement > 0.2
