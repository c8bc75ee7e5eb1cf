# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of messages and bags: what a tick costs on its way over topics or into a bag."""

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from boa_control.experiments.build import build_controller
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.messages.control import ControlEncoder
from boa_control.messages.control_records import MOST
from boa_control.messages.sensors import SensorDecoder, SensorEncoder
from boa_control.messages.topics import JOINT_STATES
from boa_sim.factory import plant_from_experiment
from boa_tools.bags.ticks import bag_sink
from boa_tools.bench.control import DEFAULT_SCENARIO
from boa_tools.bench.result import Result, from_times, time_calls
from boa_tools.runs.block import BLOCK, TickBlock
from boa_tools.runs.loop import Tick

REPEATS = 1000


def messages() -> Iterator[Result]:
    """Encode and decode the sensor messages of a tick (joints, forces, 13 IMUs), and the
    controller's.
    """
    tick = _tick()
    robot = prepare(load_scenario(DEFAULT_SCENARIO)).robot
    encoder, decoder, control = SensorEncoder(robot), SensorDecoder(robot), ControlEncoder(robot)
    outgoing = encoder.encode(tick.frame)

    def encode() -> None:
        encoder.reset()
        encoder.encode(tick.frame)

    def decode() -> None:
        for topic, raw in outgoing:
            if topic is JOINT_STATES:
                decoder.joint_states(raw)
            else:
                decoder.sample(topic.name, raw)

    count = len(outgoing)
    yield from_times(
        "encode_sensors", f"{count} sensor messages of a tick to bytes", time_calls(encode, REPEATS)
    )
    yield from_times(
        "decode_sensors",
        f"{count} sensor messages of a tick from bytes",
        time_calls(decode, REPEATS),
    )
    torque = time_calls(lambda: control.torque(0, tick.output), REPEATS)
    yield from_times("encode_torque", "the torque command to bytes", torque)
    stamps, outputs, spent = range(MOST), [tick.output] * MOST, np.zeros(MOST)
    records = partial(control.records, stamps, outputs, spent)
    record = time_calls(records, REPEATS // MOST + 1, per_call=MOST)
    yield from_times(
        "encode_control", f"contacts and debug record to bytes, of {MOST} ticks", record
    )


def bag() -> Iterator[Result]:
    """Write one tick into a bag."""
    tick, experiment = _tick(), prepare(load_scenario(DEFAULT_SCENARIO))
    with (
        tempfile.TemporaryDirectory() as scratch,
        bag_sink(Path(scratch) / "bag", experiment) as sinks,
    ):
        block = TickBlock([tick] * BLOCK)
        calls = time_calls(lambda: sinks[0].add(block), REPEATS // BLOCK + 1, per_call=BLOCK)
        yield from_times("bag_tick", f"one tick of {BLOCK} into a bag", calls)


def _tick() -> Tick:
    experiment = prepare(load_scenario(DEFAULT_SCENARIO))
    plant = plant_from_experiment(experiment)
    frame = plant.read()
    output = build_controller(experiment).step(frame)
    tick = Tick(frame, output, output.torque, plant.truth())
    plant.close()
    return tick
