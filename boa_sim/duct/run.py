# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Runs of the closed form: a gait in, distance, energy and motion out."""

from dataclasses import dataclass

import numpy as np

from boa_description.arrays import Array
from boa_sim.duct import kernel
from boa_sim.duct.model import DuctGait, DuctModel

DURATION = 20.0  # s, section 6 of the paper
STEP = 0.001  # s
LOG_PERIOD = 0.02  # s
ENDS = {kernel.RAN: "ran", kernel.FORCE: "force", kernel.HEADING: "heading"}
LEAST_ENERGY = 1e-3  # J; a ratio to less says nothing


@dataclass(frozen=True, slots=True)
class DuctRun:
    """One run.

    Attributes:
        end: `ran` to the end, or stopped by a `force` or a `heading` beyond its limit.
        time: at which it ended, s.
        distance: of the centre of mass along the duct, m.
        energy: J.
        force_peak: largest force of a wall on a contact point, N.
        headings: every LOG_PERIOD, shape (k, n), rad.
        centre: of mass, shape (k, 2), m.
    """

    end: str
    time: float
    distance: float
    energy: float
    force_peak: float
    headings: Array
    centre: Array

    @property
    def far(self) -> float:
        """The paper's first criterion (eq. 5): distance, m; 0 for a run that was stopped."""
        return self.distance if self.end == "ran" else 0.0

    @property
    def thrifty(self) -> float:
        """The second (eq. 6): distance per energy, m/J; 0 for a run that was stopped."""
        if self.end != "ran" or self.energy < LEAST_ENERGY:
            return 0.0
        return self.distance / self.energy


def drive(
    model: DuctModel,
    half_width: float,
    gait: DuctGait,
    duration: float = DURATION,
    step: float = STEP,
) -> DuctRun:
    """A run from rest, straight, in the middle of the duct.

    Args:
        half_width: of the clear duct, m; infinite for none.
    """
    stride = max(round(LOG_PERIOD / step), 1)
    outcome = kernel.simulate(constants(model), _drive(gait), half_width, duration, step, stride)
    log = outcome.log
    return DuctRun(
        ENDS[outcome.end],
        outcome.time,
        float(log[-1, -2]),
        outcome.energy,
        outcome.peak,
        log[:, :-2],
        log[:, -2:],
    )


def contact_points(model: DuctModel, run: DuctRun) -> Array:
    """Tail, joints and head in the course of a run, shape (k, n + 1, 2), m."""
    P = constants(model).P
    along = np.cos(run.headings) @ P.T + run.centre[:, :1]
    across = np.sin(run.headings) @ P.T + run.centre[:, 1:]
    return np.stack((along, across), axis=-1)


def constants(model: DuctModel) -> kernel.Constants:
    """The model with its lever arms."""
    n, pitch = model.links, 2 * model.half_length
    G = np.tril(np.full((n, n), pitch), -1) + np.eye(n) * model.half_length
    mean = G.mean(axis=0)
    W = G - mean
    P = np.tril(np.full((n + 1, n), pitch), -1) - mean
    return kernel.Constants(
        W,
        P,
        model.link_mass * W.T @ W,
        model.inertia,
        model.link_mass,
        model.floor_coulomb,
        model.floor_viscous,
        model.wall_stiffness,
        model.wall_damping,
        model.wall_coulomb,
        model.wall_viscous,
        model.slip_speed,
        model.force_limit,
        model.heading_limit,
        model.summed_power,
    )


def _drive(gait: DuctGait) -> kernel.Drive:
    return kernel.Drive(
        float(gait.amplitude),
        float(gait.delay),
        float(gait.frequency),
        float(gait.stiffness),
        float(gait.damping),
    )
