# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Node /boa/recorder: every topic of the table into a rosbag2 bag, and the results once the run is
over.

Nothing wakes it for a message: every hundredth of a second it takes all that has arrived, in the
order of arrival. That costs a quarter of being called for each message. The clock is not heard but
written beside the joint states, whose stamp it is.
"""

import shlex
import signal
import sys
from collections.abc import Callable
from operator import itemgetter
from pathlib import Path
from time import monotonic
from typing import Any

from rclpy.node import Node
from rclpy.publisher import Publisher

from boa_control.events import EventKind, PlantState
from boa_control.experiments.experiment import Experiment
from boa_control.interface import RECORDER_PARAMETERS
from boa_control.messages.cdr import MessageError, stamp_of
from boa_control.messages.events import decode_events
from boa_control.messages.sensors import recorded_topics
from boa_control.messages.status import encode_clock
from boa_control.messages.topics import (
    CLOCK,
    EVENT_STATUS,
    JOINT_STATES,
    RECORDED,
    TORQUE_COMMAND,
    TRANSFORMS,
    Topic,
)
from boa_control.ros.chosen import chosen_experiment
from boa_control.ros.endpoints import Mailbox, publisher
from boa_control.ros.parameters import make_node
from boa_control.ros.runtime import FAILED, TEARDOWN_SECONDS, WRONG_INPUT, Spin, complain, run
from boa_control.safety.ended import Ended, Reason
from boa_description.errors import BoaError
from boa_description.version import software_version
from boa_tools.bags.order import BagOrder
from boa_tools.bags.rosbag import BagWriter
from boa_tools.bags.transforms import BagTransforms
from boa_tools.runs import results
from boa_tools.runs.results import scenario_text, write_record, write_scenario

# s between two looks for messages: at 1000 Hz ten ticks, of the 40 that a plant may be ahead
PERIOD = 0.01
# looks without a message after which a stopped run has said all; not seconds, which also pass
# where a busy computer lets nobody send or look
SILENT_LOOKS = 30
# ns after the tick at which it was told to stop: a plant that goes on is not waited for
LATER_NS = 300_000_000


class Recorder:
    """Writes the bag while the run lasts. A `Program` for the node runtime.

    Nothing is created before the first tick. How far the bag is goes out on /boa/recorder/recorded;
    its publisher is made only when plant and controller are connected, and a plant in lockstep
    waits for both. Somebody else's controller need not publish more than its torques.

    Attributes:
        failed: the disk takes no more; the bag has been given up.
    """

    def __init__(
        self,
        node: Node,
        experiment: Experiment,
        directory: Path,
        simulated: bool,
        wait_for_controller: bool = True,
    ) -> None:
        self.node = node
        self.nodes = (node,)
        self._wait_for_controller = wait_for_controller
        self._experiment = experiment
        self._directory = directory
        self._order = BagOrder()
        self._bag: BagWriter | None = None
        self._messages = self._ticks = 0
        self._unreported: int | None = None
        self._tick_ns = 0  # of the newest joint states
        self._warned = self._complete = False
        self.failed = False
        self._ended = Ended(Reason.INTERRUPTED)
        self._calibration: str | None = None
        topics = [topic for topic in recorded_topics() if simulated or not topic.simulation_only]
        self._topics = (*topics, *TRANSFORMS)
        self._transforms = BagTransforms(experiment.robot)
        # joint states first, see `collect`
        inputs = sorted(topics, key=lambda topic: topic is not JOINT_STATES)
        self._inputs = {topic: Mailbox(node, topic) for topic in inputs if topic is not CLOCK}
        self._simulated = simulated
        self._recorded: Publisher | None = None

    def run(self, spin: Spin, stopped: Callable[[], bool]) -> int:
        """Record until told to stop, and then until everything under way has arrived: nothing comes
        any more, or all that comes is later.
        """
        try:
            self._record(spin, stopped)
        finally:
            self._end_bag()
        return FAILED if self.failed else 0

    def _record(self, spin: Spin, stopped: Callable[[], bool]) -> None:
        while not stopped() and not self.failed:
            if self._recorded is None and self.ready:
                self.announce()
            self._pause(spin)
            self.collect()
        silent, last_ns = 0, self._tick_ns + LATER_NS
        while silent < SILENT_LOOKS and self._tick_ns <= last_ns and not self.failed:
            before = self._messages
            self._pause(spin)
            self.collect()
            silent = silent + 1 if self._messages == before else 0

    def _pause(self, spin: Spin) -> None:
        """Serve parameters and services until it is time to look for messages again."""
        until = monotonic() + PERIOD
        while (left := until - monotonic()) > 0:
            spin(left)

    def collect(self) -> None:
        """Record what has arrived since the last time, and say how far the bag is.

        The joint states are taken first, so that the samples which came before them are there when
        the others are taken.
        """
        arrived = [
            (time_ns, topic, raw)
            for topic, mailbox in self._inputs.items()
            for time_ns, raw in mailbox.take()
        ]
        arrived.sort(key=itemgetter(0))
        for _, topic, raw in arrived:
            self._on_message(topic, raw)
        self._report()

    @property
    def ready(self) -> bool:
        """Whether all topics are connected that a run cannot do without: those of the plant and,
        where a controller is waited for, torque_command, which comes last of a controller's.
        """
        missing = self.missing
        needed = {topic for topic in self._inputs if topic.source == "plant"}
        if self._wait_for_controller:
            needed.add(TORQUE_COMMAND)
        return needed.isdisjoint(missing)

    @property
    def missing(self) -> tuple[Topic, ...]:
        """Topics that nobody publishes."""
        return tuple(
            topic for topic, item in self._inputs.items() if not item.get_publisher_count()
        )

    def announce(self) -> None:
        """Make the publisher of /boa/recorder/recorded, and so say that the plant may begin."""
        # a planner is there where somebody has started one
        if missing := [topic for topic in self.missing if topic.source != "planner"]:
            names = ", ".join(topic.below(self.node.get_namespace()) for topic in missing)
            self.node.get_logger().warning(f"nobody publishes {names}; recorded if somebody will")
        self._recorded = publisher(self.node, RECORDED)

    def close(self) -> None:
        """Write the end of the bag, if it has none. Then release the inputs: Fast DDS 2.14 can hang
        there when the plant's process leaves at the same time.
        """
        self._end_bag()
        for mailbox in self._inputs.values():
            mailbox.close()
        self._inputs = {}

    def _end_bag(self) -> None:
        """Write the end of the bag, once; without it a bag has no index."""
        if self._complete:
            return
        self._complete = True
        self.collect()
        if self._bag is not None:
            bag, self._bag = self._bag, None
            try:
                for topic, time_ns, raw in self._order.rest():
                    self._write(bag, topic, time_ns, raw)
                bag.close()
            except OSError as error:
                self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        """Say why the bag has no end; there will be no results."""
        self._bag, self.failed = None, True
        what = f"'{self._directory / results.BAG}' cannot be written: {error.strerror}"
        folder = shlex.quote(str(self._directory))
        remedy = f"make room, then save what is in it by 'boa bag recover {folder}'"
        complain(BoaError(f"{what}; {remedy}"), FAILED)

    def write_results(self, values: dict[str, Any]) -> None:
        """Write metrics, plots and picture beside the closed bag and print where they are."""
        if not self._ticks:
            print("nothing was recorded: there was no tick", flush=True)
            return
        # not before: metrics take a second to import, which the first tick would wait for
        from boa_tools.report.finish import finish_run

        write_record(
            self._directory,
            self._experiment.scenario.name,
            values["seed"],
            self._ended,
            calibration=self._calibration,
        )
        finish_run(self._directory, report=values["report"], video=values["video"])

    def _on_message(self, topic: Topic, raw: bytes) -> None:
        if self.failed:
            return
        try:
            self._take(topic, raw)
        except OSError as error:  # a full disk; the executor would show where in the code
            self._give_up(error)

    def _take(self, topic: Topic, raw: bytes) -> None:
        # a controller that is not of this launch may send torques for ever
        if topic is not TORQUE_COMMAND:
            self._messages += 1
        try:
            timed = self._order.take(topic, raw)
            if topic is EVENT_STATUS and not self._order.over:
                self._note_end(raw)
        except MessageError as error:
            self.node.get_logger().warning(f"not recorded: {error}")
            return
        if timed and self._bag is None:
            self._bag = self._begin()
        for item, time_ns, content in timed:
            assert self._bag is not None
            self._write(self._bag, item, time_ns, content)
        if topic is JOINT_STATES:
            self._note_tick(raw)

    def _write(self, bag: BagWriter, topic: Topic, time_ns: int, raw: bytes) -> None:
        bag.write(topic, time_ns, raw)
        if topic is JOINT_STATES and self._simulated:
            bag.write(CLOCK, time_ns, encode_clock(time_ns))
        try:
            for transforms, content in self._transforms.beside(topic, raw):
                bag.write(transforms, time_ns, content)
        except MessageError as error:
            self.node.get_logger().warning(f"no transforms: {error}")

    def _note_tick(self, raw: bytes) -> None:
        """Count the tick. After a reset, which ends the bag, the plant is told of ticks, too:
        nobody shall wait for this recorder.
        """
        if not self._order.over:
            self._ticks += 1
        elif not self._warned:
            self._warned = True
            self.node.get_logger().warning(
                "the simulation was reset; a bag holds one run, so this one ends here"
            )
        self._unreported = self._tick_ns = stamp_of(raw)

    def _report(self) -> None:
        if self._recorded is not None and self._unreported is not None:
            self._recorded.publish(encode_clock(self._unreported))
            self._unreported = None

    def _begin(self) -> BagWriter:
        text = scenario_text(self._experiment.scenario)
        self._directory.mkdir(parents=True, exist_ok=True)
        write_scenario(self._directory, self._experiment.scenario)
        bag = BagWriter(
            self._directory / results.BAG, self._topics, text, self.node.get_namespace()
        )
        bag.open()
        return bag

    def _note_end(self, raw: bytes) -> None:
        for event in (told.event for told in decode_events(raw)):
            if event.kind is EventKind.PLANT_STATE and event.state == PlantState.ARMED:
                self._calibration = event.note
            # once by a fault: the plant of a controller that failed is only told to stop
            if event.kind is EventKind.RUN_ENDED and self._ended.fault is None:
                try:
                    self._ended = Ended.of_event(event)
                except ValueError as error:
                    raise MessageError(f"{EVENT_STATUS.name}: {event.given()} is no end") from error


def record() -> int:
    """Record a run as the node's parameters say, then write its results; returns the exit
    status.
    """
    made: list[tuple[Recorder, dict[str, Any]]] = []

    def make() -> Recorder:
        node, values = make_node("recorder", RECORDER_PARAMETERS)
        experiment = chosen_experiment(
            values["scenario"],
            values["duration"],
            values["control_rate"],
            values["frame_prefix"],
            values["identified"],
        )
        directory = results.results_directory(values["out"], experiment.scenario.name)
        software_version()  # now, and not between the first ticks
        recorder = Recorder(
            node, experiment, directory, values["simulated"], values["wait_for_controller"]
        )
        made.append((recorder, values))
        return made[0][0]

    status = run(make, close_seconds=TEARDOWN_SECONDS)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # from here on nothing is lost by stopping
    if made and status == 0:
        recorder, values = made[0]
        if recorder.failed:
            return FAILED
        try:
            recorder.write_results(values)
        except BoaError as error:
            return complain(error, WRONG_INPUT)
        except OSError as error:
            return complain(error, FAILED)
    return status


if __name__ == "__main__":
    sys.exit(record())
