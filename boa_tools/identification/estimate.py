# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The parameters of a robot from its runs, each with a standard deviation, or said to be unknown.

Two kinds of errors add up (Guide to the Expression of Uncertainty in Measurement, 4.2 and 4.3):
those that differ from block to block, by the jackknife, and those that stay the same through all
runs: crosstalk of the force sensors, and where posts touch the links. The estimate is repeated with
drawn ones, crosstalk of the size that the data sheet gives, places of `PLACE`.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from boa_control.experiments.experiment import Experiment
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.gearbox import load_gearbox
from boa_description.gearbox_friction import GearboxFriction
from boa_description.robot import Robot
from boa_tools.identification.gears import MODELS, Gears, GearsFit, fit, unexplained
from boa_tools.identification.record import Balance, Flaws, Record, record_of
from boa_tools.identification.regression import coverage_factor, jackknife
from boa_tools.identification.sensors import BalanceSums, balance_sums
from boa_tools.identification.windows import Windows, parted, windows_of
from boa_tools.runs.runlog import RunLog

FITTED = 0.7  # of every run; what remains judges
# m; posts touch where the controller thinks within so much: 0.6 mm in boa_gearbox with an exact map
PLACE = 0.0006
SURELY = 2.0  # standard errors, by which a simpler model must be worse to be refused
ALIKE = 0.1  # of the mean square, by which it must be worse: counts of encoders make as much
DRAWS = 24  # of what may be wrong through all runs
SHAPE = "mx106_m5"  # whose Stribeck zone is taken: rates of travel hardly tell width and shape
UNKNOWN = {
    "torque constant, load's own share of the loss": "current and load show what is passed on "
    "driving and driven back, and no third number; a known torque constant would tell the rest",
    "common scale of the force sensors": "a load that is known, a mass on a sensor, would tell it",
    "encoder latency": "only differences of latencies show; the encoders' is set to zero",
    "contact stiffness of posts": "forces of travel dent them by tenths of a millimetre, less than "
    "what the encoders know of the body's place",
}


class Parameter(NamedTuple):
    """One number.

    Attributes:
        name: what it is. joint: from 1; 0: of all. unit: SI.
        half: half of the interval that covers it in 95 of 100 such data.
        needed: largest half interval with which it counts as determined.
    """

    name: str
    joint: int
    value: float
    std: float
    unit: str
    half: float
    needed: float

    @property
    def determined(self) -> bool:
        """Whether the data tell it."""
        return self.half <= self.needed


class RobotEstimate(NamedTuple):
    """All of it.

    Attributes:
        parameters: see `Parameter`. model: of the gearboxes, name in `MODELS`.
        zone, gears, rate: see `GearsFit`.
        fitted, judged: what each model leaves of the torques in the fitted part and in the other,
            rms, N m.
        blocks: stretches of time that were fitted.
    """

    parameters: tuple[Parameter, ...]
    model: str
    zone: GearboxFriction
    gears: Gears
    rate: float
    fitted: dict[str, float]
    judged: dict[str, float]
    blocks: int

    def of(self, name: str) -> tuple[Array, Array]:
        """Values and standard deviations of one kind, (m,) each."""
        chosen = [(one.value, one.std) for one in self.parameters if one.name == name]
        value, std = np.array(chosen).T
        return value, std


# name, unit, half interval that still counts as determined
OF_JOINTS = (
    ("passed on, driving", "1", 0.1),
    ("passed on, driven back", "1", 0.15),
    ("friction without load", "N m", 0.05),
)
OF_ALL = (
    ("damping", "N m s", 0.05),
    ("armature", "kg m2", 0.004),
    ("posts further ahead", "m", 0.002),
    ("uneven friction", "N m", 0.05),
    ("force latency", "s", 0.004),
)
MASS = ("link mass", "kg", 0.2)
SCALE = ("force scale", "1", 0.1)
Kind = tuple[str, str, float, int]  # the same, and the joint; 0: of all


def identify(runs: Sequence[tuple[RunLog, Experiment]], model: str | None = None) -> RobotEstimate:
    """The parameters of the robot that all `runs` are of.

    Args:
        model: of the gearboxes, name in `MODELS`; None: the one that leaves least of what was not
            fitted.

    Raises:
        BoaError: runs of different robots, too short, or without the sensors that are needed.
    """
    robot = _same_robot(runs)
    told = [record_of(*run) for run in runs]
    zone = load_gearbox(SHAPE).friction
    choice = choose([record for record, _ in told], model, dict.fromkeys(MODELS, zone))
    best, balance = choice.best, _sums([balance for _, balance in told])
    values = np.concatenate((values_of(best.gears, best), balance.total().estimate()))
    covariances = (
        jackknife(values_of(best.without_each, best)),
        jackknife(balance.without_each().estimate()),
    )
    variance = np.concatenate([covariance.diagonal() for covariance in covariances])
    variance = variance + _systematic(runs, robot, best)
    variance[: best.alike.size] += best.alike.ravel()
    blocks = len(best.without_each.common)
    kinds = [*of_gears(robot.joints), (*MASS, 0)]
    kinds += [(*SCALE, joint) for joint in range(1, robot.joints + 1)]
    return estimate_of(choice, kinds, values, variance, blocks)


class Choice(NamedTuple):
    """The gearboxes by the model that was chosen, and what each model leaves of the torques in the
    fitted part and in the other, rms, N m.
    """

    best: GearsFit
    fitted: dict[str, float]
    judged: dict[str, float]


def choose(
    records: Sequence[Record],
    model: str | None,
    zones: Mapping[str, GearboxFriction],
    late: bool = True,
) -> Choice:
    """Fit all models to the first part of every record, and judge them by the other; `zones` of
    each model, `late` as in `fit`.
    """
    known, new = (partial(_windows, records, part) for part in (0, 1))
    fits = {name: fit(known, MODELS[name], zones[name], late=late) for name in MODELS}
    fitted, judged = ({name: _left(fits[name], at) for name in MODELS} for at in (known, new))
    chosen = model or supported(judged)
    rms = [
        {name: float(np.sqrt(one.mean())) for name, one in part.items()}
        for part in (fitted, judged)
    ]
    return Choice(fits[chosen], *rms)


def supported(judged: Mapping[str, Array]) -> str:
    """The simplest model that is not worse than the best one, surely and by more than what counts.

    Args:
        judged: mean squares that models leave in each block, (B,), in order of freedom.
    """
    best = min(judged.values(), key=lambda squares: float(squares.mean()))
    for name, squares in judged.items():
        off = squares - best
        least = max(SURELY * off.std() / np.sqrt(off.size), ALIKE * best.mean())
        if off.mean() <= least:
            return name
    raise AssertionError("the best model is not worse than itself")


def _windows(records: Sequence[Record], part: int, latency: float) -> Windows:
    return parted([windows_of(record, latency) for record in records], FITTED)[part]


def _left(one: GearsFit, at: partial[Windows]) -> Array:
    """What a fit leaves, mean square of every block, (B,), N2 m2."""
    windows = at(float(one.gears.common[-1]))
    return unexplained(one.gears, windows, one.zone)


def _sums(balances: Sequence[Balance]) -> BalanceSums:
    return BalanceSums(*map(np.concatenate, zip(*map(balance_sums, balances), strict=True)))


def of_gears(joints: int) -> list[Kind]:
    """What is told of gearboxes."""
    each = [(*kind, joint) for joint in range(1, joints + 1) for kind in OF_JOINTS]
    return each + [(*kind, 0) for kind in OF_ALL]


def values_of(gears: Gears, of: GearsFit) -> Array:
    """The parameters of the gearboxes in the order of `of_gears`, (..., m)."""
    own = gears.passed_on(of.rate, of.zone)
    flat = own.reshape(*own.shape[:-2], -1)
    return np.concatenate((flat, gears.common), axis=-1)


def _systematic(runs: Sequence[tuple[RunLog, Experiment]], robot: Robot, best: GearsFit) -> Array:
    """Variances of all parameters by what is wrong through all runs."""
    draw = np.random.default_rng(0)
    mixed = 1.0 - np.eye(2)
    results = []
    for _ in range(DRAWS):
        signs = draw.choice([-1.0, 1.0], (robot.joints, 2, 2))
        leak = robot.force_sensor.crosstalk * signs * mixed
        flaws = Flaws(leak, PLACE * draw.standard_normal((robot.links, 3)))
        told = [record_of(*run, flaws) for run in runs]
        known = partial(_windows, [record for record, _ in told], 0)
        gears = fit(known, best.model, best.zone, best.gears).gears
        balance = _sums([balance for _, balance in told]).total()
        results.append(np.concatenate((values_of(gears, best), balance.estimate())))
    variance: Array = np.var(results, axis=0, ddof=1)
    return variance


def estimate_of(
    choice: Choice, kinds: Sequence[Kind], values: Array, variance: Array, blocks: int
) -> RobotEstimate:
    """Numbers with their names; `blocks`: from how many the variances are."""
    best = choice.best
    factor = coverage_factor(blocks)
    parameters = tuple(
        Parameter(name, joint, float(value), float(std), unit, factor * float(std), needed)
        for (name, unit, needed, joint), value, std in zip(
            kinds, values, np.sqrt(variance), strict=True
        )
    )
    return RobotEstimate(
        parameters,
        best.model.name,
        best.zone,
        best.gears,
        best.rate,
        choice.fitted,
        choice.judged,
        blocks,
    )


def _same_robot(runs: Sequence[tuple[RunLog, Experiment]]) -> Robot:
    robot = runs[0][1].robot
    for _, experiment in runs[1:]:
        if experiment.robot.model_dump() != robot.model_dump():
            raise BoaError(
                f"runs of {robot.name} and of {experiment.robot.name}, or with other values; "
                "identify one robot at a time"
            )
    return robot
