# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The longest physics step at which MuJoCo's spring-damper contacts are stable.

MuJoCo gives a contact at depth r, sinking at v, the reference acceleration -B v - K d r, and scales
its row by an estimate of the inverse mass at the contact, w (manual, *Computation*, constraint
model). With the true inverse mass a the contact gets the share s = x / (1 + x), x = (a / w)
d / (1 - d), of it. Spring and damper act for a step with the values of its beginning, so

    v' = v - h s (B v + K d r),   r' = r + h v',

whose eigenvalues lie in the unit circle as long as h^2 K d + 2 h B < 4 / s. The damper alone gives
h < 2 / (s B): nearly always it is what is too hard.
"""

import math
from collections.abc import Sequence

import mujoco
import numpy as np

from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.robot import Robot
from boa_description.scene import ContactModel

WHOLE = 1.0  # share of a contact whose mass may be any


def check_contacts(contact: ContactModel, step: float, share: float = WHOLE) -> None:
    """Refuse contacts that are unstable at a physics step, s.

    Args:
        share: of the reference acceleration that a contact gets, at most 1.

    Raises:
        BoaError: with the longest stable step.
    """
    spring, damper = reference_gains(contact)
    if (step**2 * spring + 2 * step * damper) * share < 4:
        return
    longest = stable_step(contact, share)
    raise BoaError(
        f"scene.contact: solref {list(contact.solref)} with solimp {list(contact.solimp)} is "
        f"numerically stable below a physics step of {longest * 1e3:.3f} ms, plant.physics_step is "
        f"{step * 1e3:g} ms; lower plant.physics_step, or stiffness and damping of solref"
    )


def stable_step(contact: ContactModel, share: float = WHOLE) -> float:
    """The step at which a contact becomes unstable, s; infinite without spring and damper."""
    spring, damper = reference_gains(contact)
    most = 4 / share
    root = damper + math.sqrt(damper**2 + most * spring)
    return most / root if root > 0 else math.inf


def reference_gains(contact: ContactModel) -> tuple[float, float]:
    """K d in 1/s2 and B in 1/s of a contact, where its impedance d is largest."""
    (first, second), (low, high, _) = contact.solref, contact.solimp
    if first > 0:  # time constant and damping ratio
        stiffness, damping = 1 / (first * second) ** 2, 2 / first
    else:
        stiffness, damping = -first, -second
    return max(low, high) * stiffness / high**2, damping / high


def largest_share(model: mujoco.MjModel, robot: Robot, contact: ContactModel) -> float:
    """Share of the reference acceleration of the lightest contact of a straight chain in the plane.

    That is a post beside an axis, which the capsules of both links touch, or at an end. A bent
    chain is heavier across its links.
    """
    impedance = max(contact.solimp[:2])
    ends = inverse_masses(model, robot)  # in units of MuJoCo's estimate
    pairs = ends[:-1, 1] + ends[1:, 0]
    lightest = max(ends[0, 0], ends[-1, 1], *pairs)
    softness = float(lightest) * impedance / (1 - impedance)
    return softness / (1 + softness)


def inverse_masses(model: mujoco.MjModel, robot: Robot) -> Array:
    """Inverse mass across a link at both ends of its capsule over MuJoCo's estimate for the link,
    shape (n_links, 2), of the straight chain; 0 for a link that is fixed.
    """
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    inertia = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, inertia)
    bodies = [model.body(name).id for name in robot.link_names]
    rows = np.array(
        [
            _across(model, data, body, end)
            for link, body in enumerate(bodies)
            for end in robot.spine(link)
        ]
    )
    true = np.einsum("ij,ji->i", rows, np.linalg.solve(inertia, rows.T)).reshape(-1, 2)
    estimate = model.body_invweight0[bodies, :1]
    return np.divide(true, estimate, out=np.zeros_like(true), where=estimate > 0)


def _across(model: mujoco.MjModel, data: mujoco.MjData, body: int, end: float) -> Sequence[float]:
    """Motion of a point of a link across it, as a row over the velocities of the chain."""
    jacobian = np.zeros((3, model.nv))
    place = data.xpos[body] + [end, 0.0, 0.0]
    mujoco.mj_jac(model, data, jacobian, None, place, body)
    return jacobian[1]
