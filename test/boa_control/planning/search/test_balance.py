"""The search's test of balance agrees with the limit study of a path."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.planning.along_path import PathScan
from boa_control.planning.limits import Load, feasible
from boa_control.planning.search import balance
from boa_control.planning.search.windows import contact_wrenches

EXPERIMENT = prepare(load_scenario("boa_circle"))


@pytest.mark.parametrize("floor", [0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.4])
def test_it_agrees_with_the_limit_study_on_the_shipped_circle(floor, monkeypatch):
    """Without its reserves. The drag of the study is that of slow motion, as here; along chords
    instead of the directions in which links move, hence the 10 % to either side.
    """
    monkeypatch.setattr(balance, "LEAST", 0.5)
    robot = EXPERIMENT.robot
    scan = PathScan(EXPERIMENT.path, robot)
    for s in (0.3, 0.41, 0.55):
        sample = scan.at(s)
        state = sample.state
        axes = np.column_stack([state.axes.real, state.axes.imag])
        arcs = np.asarray(state.sigma)
        at = arcs[sample.contacts.link] + sample.contacts.offset
        pushes = contact_wrenches(sample.points, sample.normals)
        answers = [
            balance.Balance(
                robot.joints,
                robot.limits.torque,
                robot.limits.joint_force_fault,
                factor * floor * robot.link.mass * balance.GRAVITY,
            ).possible(pushes, at, axes, arcs)
            for factor in (0.9, 1.1)
        ]
        expected = feasible(scan, sample, Load(friction=floor, least=0.5))
        assert answers[0] >= expected >= answers[1], s
