"""Which of the planned contacts the robot really feels, and how far each has been taken on.

Contacts are planned from the map; force does not switch them. But a post that stands off its place
is met early or late, and pressing towards it at full force through thin air would end in a blow. So
the force of a contact rises only while the joint force sensors feel it, and sinks again to a gentle
approach when it is not felt for long.
"""

from __future__ import annotations

import numpy as np

from boa_control.estimation.friction import neighbour_loads
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathState
from boa_control.plant import SensorFrame
from boa_description.arrays import Array

FELT, LOST = 0.5, 0.15  # N, where a touch begins and ends
FILTER_TIME = 0.02  # s, of the felt forces
JOINT_ZONE = 0.02  # m from a joint, where the neighbour may touch
APPROACH = 0.2  # share of the wanted force with which a contact is sought
# 1/s: from approach to full force in 0.16 s, and back in 0.064 s when nothing is felt
RISE, FADE = (
    5.0,
    12.5,
)


def felt_forces(
    frame: SensorFrame,
    state: PathState,
    contacts: ContactSet,
    chain: PlanarChain,
    rate: float,
    ground: float,
) -> Array | None:
    """Normal forces of the contacts from the joint force sensors, shape (nc,), N; None without such
    sensors.

    NaN for a contact that needs a sensor which is silent. Sideways balance of one link: f_j = m a_j
    - (force of its neighbours on it) - floor friction, the acceleration being that of the IMU
    (without it that of the path at speed `rate`, m/s), the floor's friction that of the path with
    coefficient `ground`.
    """
    sample = frame.joint_force
    if sample is None:
        return None
    loads = neighbour_loads(sample.force, frame.position, chain.pitch / 2)
    sideways = (
        _sideways_inertia(frame, state, chain, rate) - ground * state.sideways_ground - loads.across
    )
    link, last = contacts.link, state.along.size - 1
    forces: Array = sideways[link]
    # near a joint the post may already, or still, touch the neighbour
    forces = forces + np.where(
        contacts.offset < JOINT_ZONE, (link > 0) * sideways[np.maximum(link - 1, 0)], 0.0
    )
    beyond = contacts.offset > chain.pitch - JOINT_ZONE
    forces = forces + np.where(beyond, (link < last) * sideways[np.minimum(link + 1, last)], 0.0)
    return -contacts.side * forces


def felt_deviations(
    position: Array,
    contacts: ContactSet,
    chain: PlanarChain,
    force_noise: float,
    acceleration_noise: float,
) -> Array:
    """Standard deviations of `felt_forces` by the noise of the sensors, N and m/s2 per axis; shape
    (nc,), N.

    The force at a joint acts on both links that it joins, the other way round: where a contact near
    a joint takes both links together, what they share cancels but for the angle between them.
    """
    sensors = np.full(position.size + 1, 2.0)
    sensors[[0, -1]] = 1.0
    variance = sensors * force_noise**2 + (chain.link_mass * acceleration_noise) ** 2
    shared = 2 * np.cos(position) * force_noise**2
    of_previous, of_next = variance[:-1] - shared, variance[1:] - shared
    link, last = contacts.link, position.size
    total: Array = variance[link]
    before, beyond = contacts.offset < JOINT_ZONE, contacts.offset > chain.pitch - JOINT_ZONE
    total = total + np.where(before & (link > 0), of_previous[np.maximum(link - 1, 0)], 0.0)
    total = total + np.where(beyond & (link < last), of_next[np.minimum(link, last - 1)], 0.0)
    return np.sqrt(total)


def _sideways_inertia(
    frame: SensorFrame, state: PathState, chain: PlanarChain, rate: float
) -> Array:
    """m n_i . acceleration of every link, shape (n,), N. A head that swings must not take its
    inertia for a touch.
    """
    expected: Array = state.sideways_inertial * rate**2
    if frame.imu is None:
        return expected
    measured: Array = chain.link_mass * frame.imu.acceleration[:, 1]
    return np.where(np.isnan(measured), expected, measured)


class Engagement:
    """How far each post of the map has been taken on, from APPROACH to 1."""

    def __init__(self, posts: int, period: float) -> None:
        """`period`: of the control ticks, s."""
        self._posts = posts
        self._rise = period * RISE
        self._fade = period * FADE
        self._blend = period / (period + FILTER_TIME)
        self.reset()

    def reset(self) -> None:
        """Nothing has been felt yet."""
        self._level = np.full(self._posts, APPROACH)
        self._force = np.zeros(self._posts)

    def force(self, contacts: ContactSet) -> Array:
        """Felt force of each contact, smoothed, shape (nc,), N."""
        return self._force[contacts.post]

    def update(self, contacts: ContactSet, forces: Array | None) -> Array:
        """Take in one tick; return the level of each contact, shape (nc,).

        Args:
            forces: as `felt_forces` gives them. Without sensors (None) every contact counts as
                felt; where one is silent (NaN), level and force stay as they are.
        """
        before, smooth = self._level[contacts.post], self._force[contacts.post]
        felt, silent = np.ones(before.size, bool), np.zeros(before.size, bool)
        if forces is not None:
            silent = np.isnan(forces)
            smooth = np.where(silent, smooth, smooth + self._blend * (forces - smooth))
            felt = smooth > np.where(before > APPROACH, LOST, FELT)
        level = np.where(
            felt, np.minimum(before + self._rise, 1.0), np.maximum(before - self._fade, APPROACH)
        )
        level = np.where(silent, before, level)
        self._level.fill(APPROACH)
        self._force.fill(0.0)
        self._level[contacts.post], self._force[contacts.post] = level, smooth
        return level
