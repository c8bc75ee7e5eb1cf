# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Find a recorded run: from a results folder or a bag to its scenario. A readable bag of what is
left of one whose recording was cut off: its file has no end and no index, and the folder no
metadata.
"""

import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple, TypeVar

from mcap.exceptions import McapError
from mcap.records import Channel, McapRecord, Message, Schema
from mcap.stream_reader import StreamReader

from boa_control.experiments.experiment import Experiment, prepare
from boa_control.experiments.library import load_scenario, parse_scenario
from boa_control.experiments.scenario import Scenario
from boa_control.messages.topics import TOPICS, Topic
from boa_description.errors import BoaError
from boa_tools.bags.rosbag import METADATA, STORAGE, BagWriter, bag_summary, namespace_of
from boa_tools.runs import results

Kind = TypeVar("Kind", bound=McapRecord)
MOST = 1 << 30  # bytes of one record: more is no record
# what reading a file without an end, or with a damaged one, raises
BROKEN = (McapError, struct.error, EOFError, ValueError, OSError)


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A bag and the experiment it belongs to.

    Attributes:
        bag: folder or .mcap file.
        experiment: of the scenario that was run.
        directory: where its results belong: the results folder, or `<bag>-report` beside the bag.
    """

    bag: Path
    experiment: Experiment
    directory: Path


def find_bag(source: Path) -> Path:
    """Find a bag.

    Args:
        source: results folder of a run, bag folder, or .mcap file.

    Raises:
        BoaError: there is none.
    """
    if not source.exists():
        raise BoaError(
            f"'{source}' does not exist; give the results folder of a run, a bag folder or an "
            f".mcap file"
        )
    bag = source / results.BAG if (source / results.BAG).is_dir() else source
    if not bag.is_dir() and bag.suffix not in STORAGE:
        raise BoaError(
            f"'{bag}' is not a bag; give the results folder of a run, a bag folder or an .mcap file"
        )
    if bag.is_dir() and not any(
        path.name == METADATA or path.suffix in STORAGE for path in bag.iterdir()
    ):
        raise _no_bag(bag)
    return bag


def _no_bag(folder: Path) -> BoaError:
    """Say what a folder without a bag is, and what to do."""
    inside = {path.name for path in folder.iterdir()}
    again = f"repeat a run with `boa run {folder}/{{}}{results.SCENARIO}`"
    if results.SEEDS in inside:
        return BoaError(
            f"'{folder}' has the results of several seeds, which are run without bags; "
            f"{again.format('')}"
        )
    if results.COMPARISON in inside:
        return BoaError(
            f"'{folder}' has the results of a set, which is run without bags; "
            f"{again.format('MEMBER/')}"
        )
    if results.METRICS in inside:
        return BoaError(
            f"results folder '{folder}' has no bag (run with --no-bag, or in a set); "
            f"{again.format('')}"
        )
    what = "has no bag in it" if inside else "is empty"
    return BoaError(
        f"folder '{folder}' {what}; give the results folder of a run, a bag folder or an .mcap file"
    )


def find_run(source: Path, scenario: str | None = None) -> RecordedRun:
    """Find bag and scenario.

    Args:
        source: results folder (with scenario.yaml and bag), bag folder, or .mcap file.
        scenario: name or file that replaces the recorded scenario.

    Raises:
        BoaError: there is no bag, it cannot be opened, or no scenario is to be found.
    """
    bag = find_bag(source)
    folder = bag.parent if bag.is_file() and (bag.parent / METADATA).is_file() else bag
    directory = folder.with_name(f"{folder.stem}-report") if bag == source else source
    return RecordedRun(bag, prepare(_scenario(bag, scenario)), directory)


def _scenario(bag: Path, chosen: str | None) -> Scenario:
    """The chosen scenario, else that in the results folder around the bag, else that in the bag."""
    if chosen is not None:
        return load_scenario(chosen)
    for folder in (bag.absolute(), bag.absolute().parent):  # a bag, or a file in it
        beside = folder.parent / results.SCENARIO
        if folder.name == results.BAG and beside.is_file():
            return load_scenario(str(beside), trusted=True)  # whoever runs its code asks
    if text := bag_summary(bag).scenario:
        return parse_scenario(text, f"scenario in bag '{bag}'")
    raise BoaError(f"bag '{bag}' does not say which scenario was run; give it with --scenario NAME")


class Recovered(NamedTuple):
    """What was saved.

    Attributes:
        messages: their number. seconds: from the first to the last.
        left_out: topics that are not Boa's.
    """

    messages: int
    seconds: float
    left_out: tuple[str, ...]


def recover(broken: Path, bag: Path, scenario: str = "") -> Recovered:
    """Write every message of an .mcap file, up to where it ends or is damaged, into a new bag.

    Args:
        broken: the file. bag: folder, which must not exist. scenario: YAML to keep inside.

    Raises:
        BoaError: the file has no message of Boa.
    """
    described = list(_records(broken, (Channel, Schema)))
    types = {record.id: record.name for record in described if isinstance(record, Schema)}
    channels = {record.id: record for record in described if isinstance(record, Channel)}
    namespace = namespace_of({channel.topic for channel in channels.values()})
    known = {topic.below(namespace): topic for topic in TOPICS}
    found: dict[int, Topic] = {}
    for number, channel in channels.items():
        topic = known.get(channel.topic)
        if topic is not None and types.get(channel.schema_id) == topic.msgtype:
            found[number] = topic
    messages = (m for m in _records(broken, (Message,)) if m.channel_id in found)
    first = next(messages, None)
    if first is None:
        raise BoaError(f"'{broken}' has no message of Boa that could be saved")
    written, last = 0, first.log_time
    bag.parent.mkdir(parents=True, exist_ok=True)
    with BagWriter(bag, dict.fromkeys(found.values()), scenario, namespace) as writer:
        for message in chain((first,), messages):
            last = max(last, message.log_time)
            writer.write(found[message.channel_id], message.log_time, message.data)
            written += 1
    left_out = {channel.topic for number, channel in channels.items() if number not in found}
    return Recovered(written, (last - first.log_time) * 1e-9, tuple(sorted(left_out)))


def _records(path: Path, kinds: tuple[type[Kind], ...]) -> Iterator[Kind]:
    """Records of some kinds, up to where the file ends or is damaged."""
    with path.open("rb") as file, suppress(*BROKEN):
        for record in StreamReader(file, record_size_limit=MOST).records:
            if isinstance(record, kinds):
                yield record
