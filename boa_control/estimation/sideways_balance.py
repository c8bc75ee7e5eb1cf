"""Normal forces of the planned contacts from joint force sensors: sideways balance of each link.

f_j = m a_j - (force of its neighbours on it) - floor friction, per link j, across it.
"""

from __future__ import annotations

import numpy as np

from boa_control.estimation.friction import neighbour_loads
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import Sideways
from boa_control.plant import SensorFrame
from boa_description.arrays import Array

# m from a joint, within which a post may still, or already, touch the neighbouring link
JOINT_ZONE = 0.02


def measured_forces(
    frame: SensorFrame, contacts: ContactSet, chain: PlanarChain, sideways: Sideways
) -> Array | None:
    """Normal contact forces from the joint force sensors, shape (nc,), N; None without sensors.

    NaN for a contact that needs a sensor which is silent. The acceleration of a link is that of its
    IMU, without it that of `sideways`, from the path; so is the floor's friction.
    """
    sample = frame.joint_force
    if sample is None:
        return None
    loads = neighbour_loads(sample.force, frame.position, chain.pitch / 2)
    across = _inertial(frame, chain, sideways) - sideways.ground - loads.across
    link, last = contacts.link, across.size - 1
    forces: Array = across[link]
    # near a joint the post may already, or still, touch the neighbour
    forces = forces + np.where(
        contacts.offset < JOINT_ZONE, (link > 0) * across[np.maximum(link - 1, 0)], 0.0
    )
    ahead = contacts.offset > chain.pitch - JOINT_ZONE
    forces = forces + np.where(ahead, (link < last) * across[np.minimum(link + 1, last)], 0.0)
    return -contacts.side * forces


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
    sensors = np.full(position.size + 1, 2.0)
    sensors[[0, -1]] = 1.0
    variance = sensors * force_noise**2 + (chain.link_mass * acceleration_noise) ** 2
    shared = 2 * np.cos(position) * force_noise**2
    of_previous, of_next = variance[:-1] - shared, variance[1:] - shared
    link, last = contacts.link, position.size
    total: Array = variance[link]
    behind, ahead = contacts.offset < JOINT_ZONE, contacts.offset > chain.pitch - JOINT_ZONE
    total = total + np.where(behind & (link > 0), of_previous[np.maximum(link - 1, 0)], 0.0)
    total = total + np.where(ahead & (link < last), of_next[np.minimum(link, last - 1)], 0.0)
    return np.sqrt(total)


def _inertial(frame: SensorFrame, chain: PlanarChain, sideways: Sideways) -> Array:
    """m n_i . acceleration of every link, shape (n,), N. A head that swings must not take its
    inertia for a touch.
    """
    if frame.imu is None:
        return sideways.inertial
    measured: Array = chain.link_mass * frame.imu.linear_acceleration[:, 1]
    return np.where(np.isnan(measured), sideways.inertial, measured)
