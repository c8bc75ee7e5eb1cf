# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The recorder beside plant and controller, in one process."""

from __future__ import annotations

import resource
from pathlib import Path

import numpy as np
import pytest
from rclpy.node import Node

from boa_control.messages.events import CONTROLLER, PLANT, encode_events
from boa_control.messages.topics import EVENT_STATUS, JOINT_STATES, TORQUE_COMMAND
from boa_control.ros.endpoints import Mailbox, publisher, subscribe
from boa_control.ros.plant.node import RECORDER_WINDOW, PlantNode
from boa_control.ros.plant.options import PlantOptions
from boa_control.safety.ended import Ended, Reason
from boa_control.safety.faults import Fault, FaultName
from boa_tools.bags.rosbag import bag_summary
from boa_tools.bags.ticks import read_run
from boa_tools.nodes.recorder import Recorder

pytestmark = [pytest.mark.ros, pytest.mark.realtime]

TICKS = 60


@pytest.fixture
def recorded_loop(world, closed_loop, experiment, tmp_path: Path):
    """Plant, controller and recorder that hear each other."""

    def make(**options):
        plant = closed_loop(wait_for_recorder=True, **options)
        recorder = world.add(
            Recorder(Node("recorder", namespace="/boa"), experiment, tmp_path / "run", True)
        )
        world.wait_for(lambda: recorder.ready)
        recorder.announce()
        return plant, recorder

    return make


def test_the_bag_holds_the_whole_run(
    world, recorded_loop, simulation, controller, experiment, tmp_path
) -> None:
    plant, recorder = recorded_loop(duration=TICKS * 0.002)
    # nobody spins the recorder's own loop here
    plant._partners.wait_for_recorder = lambda *args, **kwargs: None
    assert world.run(plant) == 0
    recorder.close()
    log = read_run(tmp_path / "run" / "bag", experiment)
    assert log.ticks == TICKS
    np.testing.assert_array_equal(log.applied, simulation.written)
    np.testing.assert_array_equal(log.position, [frame.position for frame in controller.seen])
    np.testing.assert_array_equal(log.debug["phase"], np.arange(1, TICKS + 1))
    assert [event.text for event in log.events] == [f"tick {k}" for k in range(1, TICKS, 10)]
    assert log.trips == ()
    assert log.true_contacts is not None and log.true_contacts.tick.size == TICKS
    counts = {topic.name: topic.count for topic in bag_summary(tmp_path / "run" / "bag").topics}
    assert counts["/clock"] == counts["/boa/joint_states"] == counts["/boa/torque_command"] == TICKS
    assert counts["/boa/obstacles"] == counts["/boa/robot_description"] == 1


def test_the_bag_is_complete_before_a_middleware_that_hangs_is_left(
    world, recorded_loop, experiment, tmp_path, monkeypatch
) -> None:
    plant, recorder = recorded_loop(duration=TICKS * 0.002)
    plant._partners.wait_for_recorder = lambda *args, **kwargs: None
    world.run(plant)

    def hang(_: Mailbox) -> None:
        raise TimeoutError

    with monkeypatch.context() as patch, pytest.raises(TimeoutError):
        patch.setattr(Mailbox, "close", hang)
        recorder.close()
    assert read_run(tmp_path / "run" / "bag", experiment).ticks == TICKS


def test_a_full_disk_is_one_line_and_no_results(world, recorded_loop, capsys, tmp_path) -> None:
    plant, recorder = recorded_loop(duration=TICKS * 0.002)
    plant._partners.wait_for_recorder = lambda *args, **kwargs: None
    assert world.run(plant) == 0
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))  # no file may grow beyond
    try:
        recorder.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert recorder.failed
    assert (
        capsys.readouterr().err
        == f"error: '{tmp_path}/run/bag' cannot be written: File too large; make room, then save "
        f"what is in it by 'boa bag recover {tmp_path}/run'\n"
    )


def test_nothing_is_created_before_the_first_tick(recorded_loop, tmp_path) -> None:
    _, recorder = recorded_loop()
    recorder.close()
    assert not (tmp_path / "run").exists()


def test_the_plant_does_not_run_ahead_of_a_recorder_that_is_stuck(
    world, recorded_loop, simulation
) -> None:
    plant, recorder = recorded_loop(duration=1.0)
    recorder._report = lambda: None
    waited = 0

    def stuck() -> bool:
        """It has done what it may, and 1000 callbacks or pauses of 1 ms more lead no further."""
        nonlocal waited
        waited += len(simulation.written) >= RECORDER_WINDOW
        return waited > 1000

    world.spin_limit = 0.001
    world.run(plant, stuck)
    assert RECORDER_WINDOW <= len(simulation.written) <= RECORDER_WINDOW + 1


def test_a_recorder_waits_for_the_plant_and_says_what_is_missing(
    world, experiment, simulation, tmp_path, capfd
) -> None:
    recorder = world.add(
        Recorder(Node("recorder", namespace="/boa"), experiment, tmp_path / "run", True)
    )
    assert not recorder.ready
    plant = world.add(
        PlantNode(Node("plant", namespace="/boa"), simulation, experiment, PlantOptions())
    )

    def sources() -> set[str]:
        return {topic.source for topic in recorder.missing}

    world.wait_for(lambda: sources() == {"controller", "planner"})
    assert not recorder.ready, "no controller yet"
    foreign = Node("foreign", namespace="/boa")
    publisher(foreign, TORQUE_COMMAND)
    world.wait_for(lambda: recorder.ready)
    world.wait_for(lambda: plant._partners.torque_sources.connected == 1)
    recorder.announce()
    said = capfd.readouterr().err
    assert "nobody publishes /boa/contacts, " in said and "torque_command" not in said
    foreign.destroy_node()


def test_a_plant_starts_for_whoever_subscribes_to_joint_states_alone(
    world, experiment, simulation
) -> None:
    options = PlantOptions(wait_for_controller=True)
    plant = world.add(PlantNode(Node("plant", namespace="/boa"), simulation, experiment, options))
    assert "publishes /boa/torque_command" in plant._partners._missing()
    foreign = Node("foreign", namespace="/boa")
    publisher(foreign, TORQUE_COMMAND)
    world.wait_for(lambda: "subscribers of" in plant._partners._missing())
    assert plant._partners._missing() == "subscribers of /boa/joint_states"
    subscribe(foreign, JOINT_STATES, lambda raw: None)
    world.wait_for(lambda: not plant._partners._missing())
    foreign.destroy_node()


def test_a_recorder_ends_although_the_plant_goes_on(recorded_loop, tmp_path) -> None:
    """Messages come with every look, for ever, of ten ticks of 2 ms each."""
    _, recorder = recorded_loop()
    looks = 0

    def look() -> None:
        nonlocal looks
        looks += 1
        recorder._messages += 10
        recorder._tick_ns += 20_000_000

    recorder.collect = look
    recorder._record(lambda _: None, lambda: True)
    assert looks == 16, "0.3 s"


def test_a_run_that_a_fault_has_ended_was_not_just_stopped(recorded_loop) -> None:
    """A controller that fails tells it before it ends, the plant is then told to stop."""
    _, recorder = recorded_loop()
    fault = Ended.by(Fault(FaultName.CONTROLLER, "controller", "KeyError: 's'"))
    for source, end in ((CONTROLLER, fault), (PLANT, Ended(Reason.STOPPED))):
        messages = encode_events(20_000_000, source, (end.event(),))
        recorder._note_end(next(raw for topic, raw in messages if topic is EVENT_STATUS))
    assert recorder._ended == fault
