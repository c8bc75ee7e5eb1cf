# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the benchmark of the launch reads from a bag is what the run's log has."""

from __future__ import annotations

import numpy as np
from run_fakes import RailPlant, Steady, path_experiment

from boa_tools.bags.rosbag import BagWriter
from boa_tools.bags.ticks import BagSink, read_run, written_topics
from boa_tools.bench.launch import _largest_force, _trips, _wall_times
from boa_tools.runs.drive import drive


class Pressed(RailPlant):
    """Joint forces that make the gate act after half a second."""

    def read(self):
        frame = super().read()
        late = frame.stamp_ns > 500_000_000
        force = np.where(late, 300.0, frame.joint_force.force)
        return frame._replace(joint_force=frame.joint_force._replace(force=force))


def test_times_forces_and_trips_are_those_of_the_log(tmp_path) -> None:
    experiment = path_experiment(duration=1.0)
    path = tmp_path / "bag"
    with BagWriter(path, written_topics()) as bag:
        sink = BagSink(bag, experiment)
        drive(experiment, Pressed(experiment), Steady(np.linspace(-1, 1, 12)), sinks=[sink])
    log = read_run(path, experiment)
    assert log.trips and [event.trip.name for event in log.trips] == list(_trips(path).elements())
    np.testing.assert_array_equal(_wall_times(path), log.wall_s)
    force = log.sensors["joint_force"]["force"][..., :2]
    assert _largest_force(path, experiment.robot) == np.nanmax(np.linalg.norm(force, axis=2))
