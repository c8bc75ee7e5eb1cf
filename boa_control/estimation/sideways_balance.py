# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Normal forces of the planned contacts from joint force sensors: sideways balance of each link.

f_j = m a_j - (force of its neighbours on it) - floor friction, per link j, across it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from boa_control.compiled.detection import contact_forces as of_contacts
from boa_control.estimation.link_forces import link_forces, neighbour_forces
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathModel, Sideways
from boa_control.plant import SensorFrame
from boa_description.arrays import Array, Indices

# m from a joint, within which a post may still, or already, touch the neighbouring link
JOINT_ZONE = 0.02


def measured_forces(
    frame: SensorFrame, contacts: ContactSet, chain: PlanarChain, sideways: Sideways
) -> Array | None:
    """Normal contact forces from the joint force sensors, shape (nc,), N; None without sensors.

    NaN for a contact that needs a sensor which is silent. The acceleration of a link is that of its
    IMU, without it that of `sideways`, from the path; so is the floor's friction.
    """
    outside = link_forces(frame, chain, sideways)
    return None if outside is None else contact_forces(outside.across, contacts, chain.pitch)


def measured_deviations(
    position: Array,
    contacts: ContactSet,
    chain: PlanarChain,
    force_noise: float,
    acceleration_noise: float,
) -> Array:
    """Standard deviations of `measured_forces` by the noise of the sensors, N and m/s2 per axis;
    shape (nc,), N.

    The force at a joint acts on both links that it joins, the other way round: where a contact near
    a joint takes both links together, what they share cancels but for the angle between them.
    """
    return _deviations(position[None], 0, contacts, chain, force_noise, acceleration_noise)


class Evidence(NamedTuple):
    """What was measured, where and how fast the robot was on its path then, and the law that makes
    contact forces of it. Its data never change.

    Attributes:
        balance: the law.
        frame: what was measured.
        s: path coordinate, m.
        rate: along the path, m/s.
        ground: multiplies the pattern of the floor's friction there.
    """

    balance: SidewaysBalance
    frame: SensorFrame
    s: float
    rate: float
    ground: float


class Touching(NamedTuple):
    """Contacts of many ticks as columns of shape (R,).

    Attributes:
        link, offset, side: as of `ContactSet`.
        tick: index of the tick of each contact.
    """

    link: Indices
    offset: Array
    side: Array
    tick: Indices


class SidewaysBalance:
    """`measured_forces` and `measured_deviations` of many ticks at once, the same but for rounding:
    for reports, which nobody waits for within the tick.
    """

    def __init__(self, model: PathModel, force_noise: float, acceleration_noise: float) -> None:
        """`model` gives what the sensors do not; the noise is per axis, N and m/s2."""
        self._model = model
        self._noise = force_noise, acceleration_noise

    def measure(self, evidence: Sequence[Evidence], contacts: Touching) -> tuple[Array, Array]:
        """Forces and standard deviations of contacts, shape (R,) each, N; forces are NaN where the
        sensors do not tell them.
        """
        frames = [one.frame for one in evidence]
        chain, tick = self._model.chain, contacts.tick
        position = np.array([frame.position for frame in frames])
        sideways = self._model.sideways(
            [one.s for one in evidence],
            [one.rate for one in evidence],
            [one.ground for one in evidence],
        )
        across = _across(_joint_forces(frames), position, _accelerations(frames), chain, sideways)
        return (
            _forces_of_ticks(across, contacts, chain.pitch),
            _deviations(position, tick, contacts, chain, *self._noise),
        )


def _joint_forces(frames: Sequence[SensorFrame]) -> Array:
    """Shape (T, n - 1, 3), N; NaN before the first sample."""
    missing = np.full((frames[0].position.size, 3), np.nan)
    samples = (frame.joint_force for frame in frames)
    return np.array([missing if sample is None else sample.force for sample in samples])


def _accelerations(frames: Sequence[SensorFrame]) -> Array:
    """Of the links across themselves, shape (T, n), m/s2; NaN before the first sample."""
    missing = np.full((frames[0].position.size + 1, 3), np.nan)
    samples = (frame.imu for frame in frames)
    accelerations = [
        missing if sample is None else sample.linear_acceleration for sample in samples
    ]
    return np.array(accelerations)[..., 1]


def _across(
    joint_force: Array,
    position: Array,
    acceleration: Array,
    chain: PlanarChain,
    sideways: Sideways,
) -> Array:
    """Force missing in the sideways balance of every link, shape (..., n), N. The acceleration
    (..., n) across the links, m/s2, is that of the path where it is not measured: a head that
    swings must not take its inertia for a touch.
    """
    _, from_neighbours = neighbour_forces(joint_force, position)
    measured = chain.link_mass * acceleration
    inertial = np.where(np.isnan(measured), sideways.inertial, measured)
    across: Array = inertial - sideways.ground - from_neighbours
    return across


def contact_forces(across: Array, contacts: ContactSet, pitch: float) -> Array:
    """Normal forces of contacts, shape (nc,), N, from what is missing on the links, (n,), N."""
    forces = np.empty(contacts.link.size)
    of_contacts(forces, across, contacts.link, contacts.offset, contacts.side, JOINT_ZONE, pitch)
    return forces


def _forces_of_ticks(across: Array, contacts: Touching, pitch: float) -> Array:
    """`contact_forces` of many ticks, shape (R,), N, from `across` of all of them, (T, n), N."""
    offset, tick = contacts.offset, contacts.tick
    padded = np.zeros((*across.shape[:-1], across.shape[-1] + 2))  # beyond the ends is nothing
    padded[..., 1:-1] = across
    padded = padded.ravel()
    place = contacts.link + tick * (across.shape[-1] + 2)
    forces: Array = padded.take(place + 1)
    # near a joint the post may already, or still, touch the neighbour
    forces += np.where(offset < JOINT_ZONE, padded.take(place), 0.0)
    forces += np.where(offset > pitch - JOINT_ZONE, padded.take(place + 2), 0.0)
    return -contacts.side * forces


def _deviations(
    position: Array,
    tick: Indices | int,
    contacts: ContactSet | Touching,
    chain: PlanarChain,
    force_noise: float,
    acceleration_noise: float,
) -> Array:
    """Standard deviations of the forces of contacts at joint positions (T, n - 1), rad; N."""
    joints = position.shape[1]
    sensors = np.full(joints + 1, 2.0)
    sensors[[0, -1]] = 1.0
    variance = sensors * force_noise**2 + (chain.link_mass * acceleration_noise) ** 2
    shared = 2 * np.cos(position) * force_noise**2
    of_previous, of_next = variance[:-1] - shared, variance[1:] - shared
    link, offset = contacts.link, contacts.offset
    behind, ahead = offset < JOINT_ZONE, offset > chain.pitch - JOINT_ZONE
    total: Array = variance[link]
    total = total + np.where(behind & (link > 0), of_previous[tick, np.maximum(link - 1, 0)], 0.0)
    total = total + np.where(
        ahead & (link < joints), of_next[tick, np.minimum(link, joints - 1)], 0.0
    )
    return np.sqrt(total)
