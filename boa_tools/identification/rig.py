# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One servo that turns a lever with a known mass, as in Duclusaud et al. (ICRA 2025).

What the gearbox passes on is known from the motion alone: L = m g l sin(angle) + m l^2 w'. With the
current beside it the equations are those of a joint of the robot (`gears`). A lever is moved at
rates that differ more than those of travel, so rate and shape of the Stribeck zone are estimated
too.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from boa_description.arrays import Array
from boa_description.gearbox_friction import GearboxFriction
from boa_description.scene import GRAVITY
from boa_hardware.servo.identify import Sweep
from boa_hardware.servo.torque import STALL_CONSTANT
from boa_tools.identification.estimate import (
    FITTED,
    RobotEstimate,
    choose,
    estimate_of,
    of_gears,
    values_of,
)
from boa_tools.identification.gears import MODELS, GearsFit, Model, fit, unexplained
from boa_tools.identification.record import Record, integral
from boa_tools.identification.regression import jackknife
from boa_tools.identification.windows import Windows, parted, windows_of

GROUPS = 10
START = (1.0, 1.0)  # rad/s, and exponent, of the Stribeck zone, where its search begins
WIDEST = 10.0  # either may differ from that by this factor


class Lever(NamedTuple):
    """A mass on a massless rod.

    Attributes:
        mass: kg. length: from the axis to its centre, m. hanging: angle at which it hangs, rad.
    """

    mass: float
    length: float
    hanging: float = 0.0

    def load(self, position: Array) -> Array:
        """Torque that holds it, N m."""
        load: Array = self.mass * GRAVITY * self.length * np.sin(position - self.hanging)
        return load


def record_of_sweep(sweep: Sweep, lever: Lever) -> Record:
    """What a recording tells: effort counts with the data sheet's constant, as in a robot's run."""
    load = (lever.load(sweep.position) + sweep.load)[:, None]
    spin = lever.mass * lever.length**2 * sweep.velocity[:, None]
    return Record(
        begin=0.0,
        time=sweep.time,
        passed_on=integral(sweep.time, load) + spin,
        shifted=np.zeros((sweep.time.size, 1)),
        tick_time=sweep.time,
        position=sweep.position[:, None],
        velocity=sweep.velocity[:, None],
        effort=STALL_CONSTANT * sweep.current[:, None],
    )


def identify_servo(sweep: Sweep, lever: Lever) -> RobotEstimate:
    """The gearbox of one servo by the model that leaves least of what was not fitted.

    One answer on the bus brings current and motion, so neither is later than the other. Intervals
    are by a jackknife over `GROUPS` parts of the fitted recording, with a zone of each.

    Raises:
        BoaError: too short a recording.
    """
    record = record_of_sweep(sweep, lever)
    known, _ = parted([windows_of(record)], FITTED)
    zones = {name: _zone(known, one) for name, one in MODELS.items()}
    choice = choose([record], None, zones, late=False)
    best = choice.best
    group = (known.block - known.block.min()) * GROUPS // (np.ptp(known.block) + 1)
    without_each = []
    for left_out in range(GROUPS):
        others = known.select(group != left_out)
        one = _fitted(others, best.model, _zone(others, best.model))
        without_each.append(values_of(one.gears, one._replace(rate=best.rate)))
    variance = jackknife(np.array(without_each)).diagonal()
    return estimate_of(choice, of_gears(1), values_of(best.gears, best), variance, GROUPS)


def _fitted(windows: Windows, model: Model, zone: GearboxFriction) -> GearsFit:
    return fit(lambda _: windows, model, zone, late=False)


def _zone(windows: Windows, model: Model) -> GearboxFriction:
    """Rate and shape of the Stribeck zone with which a model leaves least."""
    if not any(model.parts[3:]):
        return _shaped(np.zeros(2))

    def left(logarithms: Array) -> float:
        zone = _shaped(logarithms)
        return float(unexplained(_fitted(windows, model, zone).gears, windows, zone).mean())

    bounds = [(-np.log(WIDEST), np.log(WIDEST))] * len(START)
    return _shaped(minimize(left, np.zeros(2), method="Nelder-Mead", bounds=bounds).x)


def _shaped(logarithms: Array) -> GearboxFriction:
    rate, shape = np.array(START) * np.exp(logarithms)
    return GearboxFriction(0.0, stribeck_rate=float(rate), stribeck_shape=float(shape))
