"""The plant node and the controller node in one process, over real topics."""

from __future__ import annotations

import numpy as np
import pytest
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.publisher import Publisher
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger

from boa_control.messages.cdr import stamp_of
from boa_control.messages.control import EventMessage, TorqueCodec, decode_event
from boa_control.messages.status import decode_diagnostics
from boa_control.messages.tools import ToolTopics
from boa_control.messages.topics import (
    CLOCK,
    DIAGNOSTICS,
    EVENTS,
    IMU,
    IMUS,
    JOINT_FORCES,
    JOINT_STATES,
    NEW_PATH,
    SIM_CONTACTS,
    SIM_JOINT_STATES,
    SIM_ODOMETRY,
    SPEED,
    TF,
    TF_STATIC,
    TOPICS,
    TORQUE_APPLIED,
    TORQUE_COMMAND,
    TRACKER,
    Topic,
    joint_wrench,
    link_imu,
)
from boa_control.plant import PlantError, SensorFrame
from boa_control.ros.endpoints import publisher, qos, subscribe
from boa_control.ros.plant_node import PlantNode
from boa_control.ros.plant_options import PlantOptions
from boa_description.robot import Robot
from test.ros.conftest import PERIOD_NS, FakeRobot

pytestmark = [pytest.mark.ros, pytest.mark.realtime]

TICKS = 50


class Listener:
    """Notes every message of some topics, in order of arrival."""

    def __init__(self, *topics: Topic) -> None:
        self.node = Node("listener", namespace="/boa")
        self.heard: list[tuple[Topic, bytes]] = []
        self.inputs = [
            subscribe(self.node, topic, lambda raw, topic=topic: self.heard.append((topic, raw)))
            for topic in topics
        ]

    def connect(self, world, plant) -> None:
        """Wait until both sides know of each other, so that nothing is missed or sent again."""
        names = {item.topic_name for item in self.inputs}
        world.wait_for(lambda: names.isdisjoint(plant._topics.unconnected(True, True)))
        world.wait_for(lambda: all(item.get_publisher_count() for item in self.inputs))

    def receive(self, world, topic: Topic, count: int) -> list[bytes]:
        """The messages of a topic, once so many have come."""
        world.wait_for(lambda: len(self.of(topic)) >= count, f"{count} messages of {topic.name}")
        return self.of(topic)

    def of(self, topic: Topic) -> list[bytes]:
        return [raw for heard, raw in self.heard if heard is topic]

    def close(self) -> None:
        pass


def test_lockstep_run_from_first_tick_to_the_end(
    world, closed_loop, simulation, controller
) -> None:
    plant = closed_loop(duration=TICKS * 0.002)
    assert world.run(plant) == 0
    assert len(simulation.written) == len(controller.seen) == TICKS
    # everything of a tick was there when its joint states came
    for k, frame in enumerate(controller.seen):
        assert (
            frame.stamp_ns
            == frame.joint_force.stamp_ns
            == frame.imu.stamp_ns
            == (k + 1) * simulation.control_period_ns
        )
    assert np.abs(simulation.written[-1]).max() > 0.01, "the torques reached the plant"
    plant.close()
    assert simulation.calls[-1] == "close" and "disarm" in simulation.calls


def test_the_answer_to_a_tick_is_applied_at_that_tick(
    world, closed_loop, simulation, controller
) -> None:
    world.run(closed_loop(duration=TICKS * 0.002))
    again = type(controller)()
    limits = simulation.robot.limits
    for frame, written in zip(controller.seen, simulation.written, strict=True):
        wanted = again.step(frame).torque
        assert np.abs(wanted).max() < limits.torque
        # far within all limits: the gate changes nothing
        np.testing.assert_array_equal(written, wanted)


def test_state_goes_out_before_the_clock_of_its_time(world, closed_loop) -> None:
    listener = world.add(
        Listener(
            JOINT_FORCES,
            IMU,
            IMUS,
            JOINT_STATES,
            SIM_ODOMETRY,
            SIM_JOINT_STATES,
            CLOCK,
        )
    )
    plant = closed_loop(duration=TICKS * 0.002)
    listener.connect(world, plant)
    world.run(plant)
    listener.receive(world, CLOCK, TICKS)
    tick = [
        *[IMU] * 4,
        JOINT_FORCES,
        IMUS,
        JOINT_STATES,
        SIM_ODOMETRY,
        SIM_JOINT_STATES,
        CLOCK,
    ]
    first = [topic for topic, raw in listener.heard if stamp_of(raw) == PERIOD_NS]
    assert sorted(first, key=tick.index) == tick and first.index(IMUS) < first.index(JOINT_STATES)
    for samples in (IMU, JOINT_FORCES):
        assert first.index(samples) < first.index(JOINT_STATES)
    later = [topic for topic, raw in listener.heard if stamp_of(raw) > PERIOD_NS]
    assert later == tick * (TICKS - 1)


def test_true_contacts_of_some_ticks_go_out_together_and_those_of_the_last_at_the_end(
    world, closed_loop
) -> None:
    """They are only watched, and cost more than the physics when made tick by tick."""
    listener = world.add(Listener(SIM_CONTACTS, CLOCK))
    plant = closed_loop(duration=TICKS * 0.002)
    listener.connect(world, plant)
    world.run(plant)
    listener.receive(world, CLOCK, TICKS)
    listener.receive(world, SIM_CONTACTS, TICKS)
    now, arrived, late = 0, [], []
    for topic, raw in listener.heard:
        if topic is CLOCK:
            now = stamp_of(raw)
        else:
            arrived.append(stamp_of(raw))
            late.append(now - arrived[-1])
    assert arrived == [k * PERIOD_NS for k in range(1, TICKS + 1)]
    assert TICKS % 8 and 0 < max(late) <= 8 * PERIOD_NS


def test_senseless_commands_are_refused_and_the_run_goes_on(
    world, closed_loop, simulation, controller
) -> None:
    class Vandal:
        def __init__(self) -> None:
            self.node = Node("vandal", namespace="/boa")
            self.out = publisher(self.node, TORQUE_COMMAND)

        def close(self) -> None:
            pass

    vandal = world.add(Vandal())
    step = controller.step
    names = simulation.robot.joint_names
    good = TorqueCodec(simulation.robot, TORQUE_COMMAND)
    unset = good.encode(0, effort=np.full(3, 5.0))
    future = good.encode(10**12, effort=np.full(3, 5.0))
    foreign = JointState(name=["elbow", *names[1:]], effort=[5.0, 5.0, 5.0])
    short = JointState(name=list(names), effort=[5.0])
    empty = JointState()

    def step_and_disturb(frame):
        for bad in (
            unset,
            future,
            future[:30],
            b"",
            foreign,
            short,
            empty,
        ):
            vandal.out.publish(bad)
        return step(frame)

    controller.step = step_and_disturb
    plant = closed_loop(duration=TICKS * 0.002)
    plant._wants_arming = False  # two publishers of torque_command: it would refuse to arm
    assert world.run(plant) == 0
    assert len(simulation.written) == TICKS and np.abs(np.array(simulation.written)).max() == 0.0
    refused = plant._inbox.refused
    assert min(refused["malformed"], refused["future"], refused["unset"]) >= TICKS


def test_a_joint_without_a_reading_gets_no_torque_and_the_controller_goes_on_afterwards(
    world, closed_loop, simulation, controller
) -> None:
    listener = world.add(Listener(EVENTS, DIAGNOSTICS))
    plant, read = closed_loop(duration=TICKS * 0.002), simulation.read
    answering = world.programs[-1]

    def read_with_a_gap():
        frame = read()
        if 20 <= len(simulation.written) < 30:
            frame.position[1] = frame.velocity[1] = frame.effort[1] = np.nan
        elif len(simulation.written) >= 40:
            answering._next_report = 0.0  # with every tick, not every half second
        return frame

    simulation.read = read_with_a_gap
    listener.connect(world, plant)
    assert world.run(plant) == 0
    ended(world, listener)
    written = np.array(simulation.written)
    assert np.abs(written[20:30]).max() == 0.0 and np.abs(written[[19, 31]]).max(axis=1).all()
    assert len(controller.seen) == TICKS - 10
    told = [
        event.text for event in map(decode_event, listener.of(EVENTS)) if "reading" in event.text
    ]
    assert told == [
        "no torque: no reading of joint_02",
        "readings of all joints again after 10 ticks",
    ]

    def incomplete() -> str:
        """What the controller has said last of the frames it could not use."""
        lines = [line for raw in listener.of(DIAGNOSTICS) for line in decode_diagnostics(raw)[1]]
        steps = [line for line in lines if line.name == "boa/controller: step"]
        return steps[-1].values["frames_incomplete"] if steps else ""

    world.wait_for(lambda: incomplete() == "10")


def ended(world, listener: Listener) -> list[EventMessage]:
    """All events of a run, the last of which is its end."""

    def events() -> list[EventMessage]:
        return [decode_event(raw) for raw in listener.of(EVENTS)]

    world.wait_for(lambda: any(event.text.startswith("end ") for event in events()), "end")
    world.serve()
    return events()


def test_two_torque_sources_cannot_be_armed(world, closed_loop) -> None:
    plant = closed_loop()
    rival = Node("rival", namespace="/boa")
    publisher(rival, TORQUE_COMMAND)
    world.wait_for(lambda: plant._partners.torque_sources.connected > 1)
    plant._frame = plant._supervisor.read()
    with pytest.raises(
        PlantError, match="2 publishers of torque_command: /boa/controller and /boa/rival"
    ):
        plant.arm()
    rival.destroy_node()


SECOND_AT = 20


class Rival:
    """A node that begins to publish torques in the middle of a run."""

    def __init__(self, robot: Robot) -> None:
        self.node = Node("rival", namespace="/boa")
        self._codec = TorqueCodec(robot, TORQUE_COMMAND)
        self._out: Publisher | None = None

    def connect(self) -> None:
        self._out = publisher(self.node, TORQUE_COMMAND)

    def command(self, stamp_ns: int) -> None:
        assert self._out is not None
        self._out.publish(self._codec.encode(stamp_ns, effort=np.full(3, 5.0)))

    def disconnect(self) -> None:
        assert self._out is not None
        self.node.destroy_publisher(self._out)

    def close(self) -> None:
        pass


class Player:
    """What `ros2 bag play` is to the plant: its node's name, and old commands with their stamps."""

    def __init__(self, robot: Robot) -> None:
        self.node = Node("rosbag2_player")
        self._codec = TorqueCodec(robot, TORQUE_COMMAND)
        depth = qos(TORQUE_COMMAND)
        self._out = self.node.create_publisher(JointState, TORQUE_COMMAND.name, depth)
        self._joint_states = self.node.create_subscription(
            JointState, JOINT_STATES.name, self._on_tick, depth, raw=True
        )
        self.played = 0

    def play(self, stamp_ns: int) -> None:
        self._out.publish(self._codec.encode(stamp_ns, effort=np.full(3, 5.0)))
        self.played += 1

    def _on_tick(self, raw: bytes) -> None:
        """The worst case: the bag is played in step with the plant."""
        self.play(stamp_of(raw))

    def close(self) -> None:
        pass


def silent(rival: Rival, frame: SensorFrame) -> None:
    rival.connect()


def outspoken(rival: Rival, frame: SensorFrame) -> None:
    rival.connect()
    rival.command(frame.stamp_ns)


def passing(rival: Rival, frame: SensorFrame) -> None:
    outspoken(rival, frame)
    rival.disconnect()


@pytest.mark.parametrize(
    ("appear", "name"),
    [
        (silent, "/boa/rival"),
        (outspoken, "/boa/rival"),
        (passing, "a publisher that has gone again"),
    ],
)
def test_torque_is_off_in_the_tick_in_which_a_second_source_appears(
    world, closed_loop, simulation, controller, capfd, appear, name
) -> None:
    rival, step = world.add(Rival(simulation.robot)), controller.step

    def step_with_company(frame):
        if controller.ticks == SECOND_AT:
            appear(rival, frame)
        return step(frame)

    controller.step = step_with_company
    assert world.run(closed_loop(duration=1.0)) == 1
    torque = np.abs(np.array(simulation.written)).max(axis=1)
    assert len(torque) == SECOND_AT + 1, "the run ends with the tick in which the other appeared"
    assert torque[SECOND_AT - 1] > 0.0 and torque[SECOND_AT] == 0.0
    assert not simulation.armed
    assert f"two_torque_sources: /boa/controller and {name} command" in capfd.readouterr().err


@pytest.mark.parametrize("lockstep", [True, False])
def test_a_run_without_a_controller_is_not_armed_by_a_bag_that_is_played(
    world, simulation, experiment, capfd, lockstep
) -> None:
    pace = {"lockstep": True} if lockstep else {"speed": 0.1}
    options = PlantOptions(arm=True, wait_for_controller=True, duration=1.0, **pace)
    plant = world.add(PlantNode(Node("plant", namespace="/boa"), simulation, experiment, options))
    player = world.add(Player(simulation.robot))
    assert world.run(plant) == 1
    assert player.played
    assert "arm" not in simulation.calls
    assert not np.any(simulation.written)
    assert "/rosbag2_player plays the torque_command of a bag" in capfd.readouterr().err


def test_a_bag_that_is_played_beside_a_controller_removes_the_torque(
    world, closed_loop, simulation, controller, capfd
) -> None:
    step = controller.step

    def step_with_company(frame):
        if controller.ticks == SECOND_AT:
            world.add(Player(simulation.robot)).play(frame.stamp_ns)
        return step(frame)

    controller.step = step_with_company
    assert world.run(closed_loop(duration=1.0)) == 1
    torque = np.abs(np.array(simulation.written)).max(axis=1)
    assert torque[SECOND_AT - 1] > 0.0 and torque[SECOND_AT] == 0.0
    assert len(torque) == SECOND_AT + 1
    assert "/boa/controller and /rosbag2_player command" in capfd.readouterr().err


def test_a_publisher_that_takes_the_place_of_another_is_a_second_source(
    world, closed_loop, simulation, controller, capfd
) -> None:
    rival, step = world.add(Rival(simulation.robot)), controller.step
    plant = closed_loop(duration=1.0)
    answering = world.programs[-1]

    def step_once_more(frame):
        output = step(frame)
        if controller.ticks == SECOND_AT:
            answering.node.destroy_publisher(answering._publishers.pop(TORQUE_COMMAND))
            outspoken(rival, frame)
        return output

    controller.step = step_once_more
    assert world.run(plant) == 1
    assert np.abs(np.array(simulation.written))[-1].max() == 0.0
    assert len(simulation.written) == SECOND_AT
    assert "/boa/controller and /boa/rival command" in capfd.readouterr().err


def test_after_a_second_source_the_plant_can_be_armed_for_the_one_that_stays(
    world, closed_loop, simulation
) -> None:
    plant = closed_loop(arm=False, duration=None)
    rival = world.add(Rival(simulation.robot))
    plant._partners.wait_until_they_listen(world.spin, lambda: False)
    plant._tick(world.spin, lambda: False)
    plant.arm()
    rival.connect()
    plant._tick(world.spin, lambda: False)
    assert [fault.name for fault in plant._supervisor.status.faults] == ["two_torque_sources"]
    plant.reset_fault()
    with pytest.raises(PlantError, match="/boa/rival; stop all but one"):
        plant.arm()
    rival.disconnect()
    world.wait_for(lambda: plant._partners.torque_sources.connected == 1)
    plant.arm()
    plant._tick(world.spin, lambda: False)
    plant._tick(world.spin, lambda: False)
    assert plant._supervisor.status.armed and not plant._supervisor.status.faults


def test_a_run_that_armed_itself_goes_on_after_disarming_whatever_the_joints_hit(
    world, closed_loop, simulation, controller
) -> None:
    plant, read, step = closed_loop(duration=TICKS * 0.002), simulation.read, controller.step
    limit = simulation.robot.limits.joint_force_fault

    def step_and_disarm(frame):
        if controller.ticks == 20:
            plant.disarm()
        return step(frame)

    def read_after_a_blow():
        frame = read()
        if len(simulation.written) == 30:
            frame.joint_force.force[1] = [limit, 0.0, 0.0]
        return frame

    controller.step, simulation.read = step_and_disarm, read_after_a_blow
    assert world.run(plant) == 0
    assert len(simulation.written) == TICKS and not np.array(simulation.written)[20:].any()
    assert [fault.name for fault in plant._supervisor.status.faults] == ["joint_force"], (
        "it must be reset before anybody arms again"
    )


def test_a_run_armed_again_ends_by_a_fault_again(world, closed_loop, simulation) -> None:
    plant = closed_loop(duration=None)
    plant._partners.wait_until_they_listen(world.spin, lambda: False)
    plant._tick(world.spin, lambda: False)
    plant.disarm()
    simulation.faults = ("servo 3 (joint_03): overload",)
    assert plant._tick(world.spin, lambda: False) is None
    plant.reset_fault()
    plant.arm()
    assert plant._tick(world.spin, lambda: False) is None
    simulation.faults = ("servo 3 (joint_03): overload",)
    assert plant._tick(world.spin, lambda: False).reason == "fault"


def test_a_torque_that_is_not_finite_latches_and_ends_the_run(
    world, closed_loop, simulation, controller
) -> None:
    listener = world.add(Listener(EVENTS, DIAGNOSTICS))
    step = controller.step

    def step_wrongly(frame):
        output = step(frame)
        if controller.ticks == 20:
            output.torque[1] = np.nan
        return output

    controller.step = step_wrongly
    assert world.run(closed_loop(duration=1.0)) == 1
    assert len(simulation.written) == 20 and np.abs(simulation.written[-1]).max() == 0.0
    events = ended(world, listener)
    assert any(event.source == "gate" and "finite" in event.text for event in events)
    assert events[-1].source == "plant" and events[-1].text.startswith("end fault")
    gate = [
        line
        for raw in listener.of(DIAGNOSTICS)
        for line in decode_diagnostics(raw)[1]
        if "gate" in line.name
    ]
    assert gate[-1].values["state"] == "error" and "finite" in gate[-1].text


def test_a_plant_that_is_gone_ends_the_run_with_its_reason(
    world, closed_loop, simulation, controller, capfd
) -> None:
    step = controller.step

    def unplug(frame):
        if controller.ticks == 10:
            simulation.broken = PlantError(
                "servo bus: no reply from any servo; check power and cable"
            )
        return step(frame)

    controller.step = unplug
    assert world.run(closed_loop(duration=1.0)) == 1
    assert "no reply from any servo" in capfd.readouterr().err
    assert simulation.calls[-1] == "disarm"


def test_outside_lockstep_the_tick_does_not_wait_for_the_answer(
    world, closed_loop, simulation, controller
) -> None:
    step = controller.step
    silent_at: list[int] = []
    until_stale = round(1.5 * simulation.robot.limits.command_age / 0.002)

    def fall_silent(frame):
        if controller.ticks >= 20 and not silent_at:
            world.programs[1]._publishers.pop(TORQUE_COMMAND)
            silent_at.append(len(simulation.written))
        return step(frame)

    controller.step = fall_silent
    plant = closed_loop(duration=None, speed=1.0, lockstep=False)
    world.run(plant, lambda: silent_at and len(simulation.written) >= silent_at[0] + until_stale)
    torque = np.abs(np.array(simulation.written)).max(axis=1)
    assert torque.max() > 0.0 and torque[-1] == 0.0, (
        "time goes on, and an old command fades to zero"
    )


def test_a_computer_that_is_too_slow_for_the_pace_still_serves_commands_and_requests(
    world, closed_loop, simulation, controller
) -> None:
    """At 1000 times real time every tick of 2 us is over before it has begun."""
    plant = closed_loop(duration=None, speed=1000.0, lockstep=False)
    disarming = Node("disarming")
    world.executor.add_node(disarming)
    caller = disarming.create_client(Trigger, "/boa/plant/disarm")
    world.wait_for(caller.service_is_ready)
    answers = []

    def disarmed() -> bool:
        if len(controller.seen) >= 5 and not answers:
            answers.append(caller.call_async(Trigger.Request()))
        return bool(answers) and answers[0].done()

    world.run(plant, disarmed)
    assert answers[0].result().message == "disarmed"
    world.executor.remove_node(disarming)
    disarming.destroy_node()


def test_services_answer_and_say_why_not(world, closed_loop, simulation) -> None:
    plant = closed_loop(arm=False, duration=None)
    client = Node("client")
    world.executor.add_node(client)

    def call(kind, name: str, request):
        caller = client.create_client(kind, f"/boa/plant/{name}")
        world.wait_for(caller.service_is_ready)
        future = caller.call_async(request)
        while not future.done():
            plant._tick(world.spin, lambda: False)
        return future.result()

    plant._partners.wait_until_they_listen(world.spin, lambda: False)
    assert call(Trigger, "arm", Trigger.Request()).success
    assert plant._supervisor.status.armed
    refused = call(Trigger, "tare", Trigger.Request())
    assert not refused.success and "disarm first" in refused.message
    assert call(Trigger, "disarm", Trigger.Request()).success and not plant._supervisor.status.armed
    simulation.velocity[:] = 0.0
    assert call(Trigger, "tare", Trigger.Request()).message == "force sensors set to zero"

    simulation.faults = ("servo 3 (joint_03): overload",)
    plant._tick(world.spin, lambda: False)
    refused = call(Trigger, "arm", Trigger.Request())
    assert not refused.success and "overload" in refused.message
    assert call(Trigger, "reset_fault", Trigger.Request()).success
    assert call(Trigger, "arm", Trigger.Request()).success

    refused = call(Trigger, "step", Trigger.Request())
    assert not refused.success and "pause it first" in refused.message
    assert call(SetBool, "pause", SetBool.Request(data=True)).message == "paused"
    assert call(Trigger, "step", Trigger.Request()).message == "1 tick of 2 ms"
    assert call(Trigger, "reset", Trigger.Request()).success
    assert "reset" in simulation.calls and not plant._supervisor.status.armed
    world.executor.remove_node(client)
    client.destroy_node()


def test_paused_time_stands_still_and_steps_are_single(world, closed_loop, simulation) -> None:
    plant = closed_loop(duration=None)
    plant.pause(True)
    plant.step()
    plant.step()
    waited = 0

    def stands_still() -> bool:
        nonlocal waited
        waited += len(simulation.written) >= 2
        return waited > 20

    world.run(plant, stands_still)
    assert len(simulation.written) == 2


def test_steps_that_were_not_taken_are_forgotten_with_the_pause(closed_loop) -> None:
    plant = closed_loop(duration=TICKS * 0.002)
    plant.pause(True)
    plant.step()
    assert plant._steps > 0
    plant.pause(False)
    assert plant._steps == 0


def test_the_clock_goes_on_while_time_is_paused(world, closed_loop, monkeypatch) -> None:
    plant = closed_loop(duration=None)
    sent: list[int] = []
    monkeypatch.setattr(plant._topics, "clock", sent.append)

    def told_often() -> bool:
        if sent and not plant._paused:
            plant.pause(True)
        return len(sent) > 10

    world.run(plant, told_often)
    assert len(set(sent[1:])) == 1


def test_reset_starts_both_sides_anew(world, closed_loop, simulation, controller) -> None:
    plant = closed_loop(duration=TICKS * 0.002)
    step = controller.step
    done = []

    def step_and_reset(frame):
        if controller.ticks == 20 and not done:
            done.append(True)
            plant.reset()
        return step(frame)

    controller.step = step_and_reset
    assert world.run(plant) == 0
    stamps = [frame.stamp_ns // simulation.control_period_ns for frame in controller.seen]
    assert stamps == [*range(1, 22), *range(1, TICKS + 1)]
    assert controller.resets == 1
    # as if it had just begun
    np.testing.assert_array_equal(simulation.written[20:40], simulation.written[:20])


def test_a_robot_has_no_truth_no_clock_and_no_pause(world, closed_loop, robot) -> None:
    plant = closed_loop(plant=FakeRobot(robot), duration=TICKS * 0.002, lockstep=False)
    assert world.run(plant) == 0
    names = {name for name, _ in plant.node.get_publisher_names_and_types_by_node("plant", "/boa")}
    assert "/clock" not in names and not any(name.startswith("/boa/sim/") for name in names)
    services = {name for name, _ in plant.node.get_service_names_and_types_by_node("plant", "/boa")}
    assert {"/boa/plant/arm", "/boa/plant/tare"} <= services and "/boa/plant/pause" not in services


def test_single_sensors_are_published_while_somebody_listens(world, closed_loop) -> None:
    plant = closed_loop(duration=TICKS * 0.002)
    imu, wrench = link_imu("link_02"), joint_wrench("joint_01")
    listener = Listener(imu, wrench)
    world.add(listener)
    world.wait_for(lambda: all(item.get_publisher_count() for item in listener.inputs))
    assert world.run(plant) == 0
    for topic in (imu, wrench):
        listener.receive(world, topic, 1)
    assert {topic.name for topic, _ in listener.heard} == {imu.name, wrench.name}


def test_nodes_publish_what_the_table_says(world, closed_loop) -> None:
    plant = closed_loop(duration=0.004)
    # of every node; and where tf2_msgs is installed
    own = {
        "/rosout",
        "/parameter_events",
        TF.name,
        TF_STATIC.name,
    }
    table = {name: {t.name for t in TOPICS if t.source == name} for name in ("plant", "controller")}
    tools = ToolTopics(plant._plant.robot)
    table["plant"] |= {EVENTS.name, *(t.name for t in (*tools.imus, *tools.wrenches))}
    table["controller"] |= {DIAGNOSTICS.name}
    for name, expected in table.items():
        published = dict(plant.node.get_publisher_names_and_types_by_node(name, "/boa"))
        assert set(published) - own == expected - own
        types = {topic.name: topic.msgtype for topic in (*TOPICS, *tools.imus, *tools.wrenches)}
        assert all(published[topic] == [types[topic]] for topic in expected - own)
    heard = {
        name for name, _ in plant.node.get_subscriber_names_and_types_by_node("controller", "/boa")
    }
    measured = {JOINT_STATES.name, JOINT_FORCES.name, IMUS.name, TRACKER.name}
    commands = {SPEED.name, NEW_PATH.name}
    assert heard - own == measured | commands, "what is measured, operator and planner only"


def test_wrong_parameters_are_one_clear_error(ros, monkeypatch) -> None:
    from boa_control.interface import SIMULATION_PARAMETERS
    from boa_control.ros import parameters
    from boa_description.errors import BoaError

    def node_with(**overrides):
        made = [Parameter(name, value=value) for name, value in overrides.items()]
        monkeypatch.setattr(
            parameters, "Node", lambda *a, **k: Node(*a, **k, parameter_overrides=made)
        )
        node, values = parameters.make_node("plant", SIMULATION_PARAMETERS)
        node.destroy_node()
        return values

    assert node_with(speed=2, seed=5)["speed"] == 2.0
    with pytest.raises(BoaError, match="unknown parameter 'sped'; did you mean 'speed'"):
        node_with(sped=2.0)
    with pytest.raises(BoaError, match=r"parameter seed is 1\.5; expected a whole number"):
        node_with(seed=1.5)
    with pytest.raises(BoaError, match="parameter lockstep is 'yes'; expected true or false"):
        node_with(lockstep="yes")


def test_applied_torque_and_answers_carry_the_stamp_of_their_tick(
    world, closed_loop, simulation
) -> None:
    listener = world.add(Listener(TORQUE_COMMAND, TORQUE_APPLIED))
    plant = closed_loop(duration=TICKS * 0.002)
    listener.connect(world, plant)
    world.run(plant)
    for topic in (TORQUE_COMMAND, TORQUE_APPLIED):
        listener.receive(world, topic, TICKS)
    codec = TorqueCodec(simulation.robot, TORQUE_APPLIED)
    stamps = [(k + 1) * simulation.control_period_ns for k in range(TICKS)]
    assert [codec.decode(raw)[0] for raw in listener.of(TORQUE_COMMAND)] == stamps
    applied = [codec.decode(raw) for raw in listener.of(TORQUE_APPLIED)]
    assert [stamp for stamp, _ in applied] == stamps
    np.testing.assert_array_equal([fields["effort"] for _, fields in applied], simulation.written)
