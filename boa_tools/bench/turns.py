# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Times of a run in turns with the units: what slows the machine for a while slows all of them.

Some ticks, one measurement of each unit, and so on. Processor time counts, and the median over
blocks of ticks leaves out those in which something else happened. Programs that run beside this one
take its caches; that slows Python more than MuJoCo, so the ratio to the fixed workload is the one
that repeats best.
"""

from collections.abc import Sequence
from time import thread_time_ns

import numpy as np

from boa_control.controller import Controller, ControlOutput
from boa_control.experiments.build import build_controller
from boa_control.experiments.experiment import Experiment
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_sim.factory import plant_from_experiment
from boa_tools.bench.physics import StepClock
from boa_tools.bench.result import Ratios, Result, reference_work
from boa_tools.runs.block import Sink
from boa_tools.runs.drive import drive
from boa_tools.runs.loop import Tick

EVERY = 4  # ticks between two measurements of the units


class Turns:
    """Steps a controller as one, and watches its run."""

    def __init__(self, controller: Controller, clock: StepClock, skipped: int, block: int) -> None:
        """`skipped`: ticks before the first block; `block`: ticks of each, a multiple of
        `EVERY`.
        """
        self._controller = controller
        self._clock = clock
        self._work = reference_work()
        self._skipped, self._block = skipped, block
        self._ticks = 0
        self._spent = self._since = 0  # ns, of the present block
        self._steps: list[float] = []  # us
        self._units: list[tuple[float, float]] = []  # us, those of `Ratios`
        self._mean_ticks: list[float] = []  # us, of the blocks

    def reset(self) -> None:
        """As the controller's."""
        self._controller.reset()

    def step(self, frame: SensorFrame) -> ControlOutput:
        """The controller's answer."""
        before = thread_time_ns()
        output = self._controller.step(frame)
        self._steps.append(1e-3 * (thread_time_ns() - before))
        return output

    def add(self, _: Tick) -> None:
        """End of a tick; after some the units are measured."""
        self._ticks += 1
        if self._ticks % EVERY:
            return
        self._spent += thread_time_ns() - self._since
        if not self._ticks % self._block:
            self._mean_ticks.append(1e-3 * self._spent / self._block)
            self._spent = 0
        mj_step, before = self._clock.one(), thread_time_ns()
        self._work()
        self._since = thread_time_ns()
        self._units.append((mj_step, 1e-3 * (self._since - before)))

    def step_result(self, name: str, what: str, target_us: float | None = None) -> Result:
        """Of single steps of the controller."""
        blocks = np.array(self._steps[: self._ticks // self._block * self._block])
        blocks = blocks.reshape(-1, self._block)[self._first :]
        return self._result(name, what, blocks.ravel(), np.median(blocks, axis=1), target_us)

    def tick_result(self, name: str, what: str) -> Result:
        """Of whole ticks, each the mean of its block: what is done every few ticks counts."""
        means = np.array(self._mean_ticks[self._first :])
        return self._result(name, what, means, means, None)

    @property
    def _first(self) -> int:
        """The block that counts first."""
        return -(-self._skipped // self._block)

    def _result(
        self, name: str, what: str, times: Array, blocks: Array, target_us: float | None
    ) -> Result:
        """`blocks`: median or mean of each block, us."""
        p50, p99 = np.percentile(times, [50, 99])
        per_block = self._block // EVERY
        units = np.array(self._units).reshape(-1, 2)[per_block * self._first :]
        units = units[: blocks.size * per_block].reshape(blocks.size, per_block, 2)
        mj_steps, ratio = np.median(blocks[:, None] / np.median(units, axis=1), axis=0)
        ratios = Ratios(float(mj_steps), float(ratio))
        return Result(name, what, float(p50), float(p99), target_us, ratios)


def in_turns(
    experiment: Experiment,
    clock: StepClock,
    skipped: int,
    block: int,
    sinks: Sequence[Sink] = (),
) -> Turns:
    """Run an experiment to its end, the unit in between; arguments as of `Turns` and `drive`."""
    turns = Turns(build_controller(experiment), clock, skipped, block)
    plant = plant_from_experiment(experiment)
    try:
        drive(experiment, plant, turns, sinks=sinks, watchers=[turns])
    finally:
        plant.close()
    return turns
