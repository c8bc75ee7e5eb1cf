# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a robot moved, above all without a path: ways, energy, contacts."""

import numpy as np

from boa_description.chain import centre_of_mass
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.free_motion import STEP
from boa_tools.evaluation.metric import further, peak

KINK = np.radians(10.0)


@further("displacement_m", "displacement", "m")
def displacement(run: Analysis) -> float | None:
    """From the first place of the centre of mass to the last, without a path."""
    return None if run.free is None else run.free.displacement


@further("advance_m", "advance", "m")
def advance(run: Analysis) -> float | None:
    """Displacement of the centre of mass in the direction `evaluation.heading` of the scenario,
    with or without a path.
    """
    log, robot = run.recorded, run.experiment.robot
    heading = run.experiment.scenario.evaluation.heading
    if heading is None or log.truth is None or not robot.planar or log.ticks < 2:
        return None
    ends = [0, -1]
    first, last = centre_of_mass(
        robot.link.pitch, log.truth.base[ends], log.truth.joint_position[ends]
    )
    return float((last - first) @ [np.cos(heading), np.sin(heading)])


@further("advance_speed_mps", "speed", "mm/s")
def advance_speed(run: Analysis) -> float | None:
    """Advance per duration of the scenario: a robot that was stopped early stands for the rest of
    it.
    """
    moved = advance(run)
    return None if moved is None else moved / run.experiment.scenario.duration


@further("travelled_m", "way of the centre", "m")
def travelled(run: Analysis) -> float | None:
    """Length of the way of the centre of mass, without a path."""
    return None if run.free is None else run.free.travelled


@further("power_sum_j", "sum of powers", "J")
def power_sum(run: Analysis) -> float | None:
    """Sum of the magnitudes of all joint powers over time."""
    log = run.log
    power = np.abs(log.applied[:-1] * np.diff(log.joint_angles(), axis=0))
    return float(np.nansum(power)) if power.size else None


@further("distance_per_energy_m_per_j", "distance per energy", "mm/J")
def distance_per_energy(run: Analysis) -> float | None:
    """Displacement per sum of the magnitudes of all joint powers."""
    moved, spent = displacement(run), power_sum(run)
    return None if moved is None or not spent else moved / spent


@further("energy_per_metre_j_per_m", "energy per metre", "J/m")
def energy_per_metre(run: Analysis) -> float | None:
    """Sum of the magnitudes of all joint powers per advance; `null` below 0.05 m."""
    moved, spent = advance(run), power_sum(run)
    return None if moved is None or moved < STEP or spent is None else spent / moved


@further("contact_force_sum_n", "contact forces, sum", "N")
def contact_force_sum(run: Analysis) -> float | None:
    """Mean over time of the sum of all true normal forces, without a path."""
    contacts = run.log.true_contacts
    if run.free is None or contacts is None or not run.experiment.obstacles:
        return None
    return float(contacts.normal_force.sum()) / run.log.ticks


@further("most_contacts", "contacts at once, most")
def most_contacts(run: Analysis) -> float | None:
    """Largest number of contacts with force at one tick, without a path."""
    contacts = run.log.true_contacts
    if run.free is None or contacts is None or not run.experiment.obstacles:
        return None
    ticks = contacts.tick[contacts.normal_force > 0]
    return int(np.bincount(ticks).max()) if ticks.size else 0


@further("standstill_s", "without progress, longest", "s")
def standstill(run: Analysis) -> float | None:
    """Longest time in which the centre of mass moved less than 0.05 m."""
    return None if run.free is None else run.free.longest_standstill()


@further("largest_kink_rad", "kink, largest", "deg")
def largest_kink(run: Analysis) -> float | None:
    """Largest turn within 50 ms of the velocity of the centre of mass, where that is above 0.01
    m/s.
    """
    return None if run.free is None else peak(run.free.kinks())


@further("kinks", "kinks above 10 deg")
def kinks(run: Analysis) -> float | None:
    """Number of such turns above 10 deg."""
    return None if run.free is None else int((run.free.kinks() > KINK).sum())
