"""Signals of one tick for the caution, from sensors, plan and estimates."""

from __future__ import annotations

import numpy as np

from boa_control.controllers.hoal.caution import Signals
from boa_control.controllers.hoal.contact_plan import ContactPlan
from boa_control.controllers.hoal.engagement import APPROACH
from boa_control.estimation.progress import Progress
from boa_control.estimation.stray_forces import link_forces, unexplained
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathState, Sideways
from boa_control.optimisation.balance import attainable_share
from boa_control.plant import SensorFrame
from boa_description.arrays import Array, Indices


def signals(
    frame: SensorFrame,
    chain: PlanarChain,
    state: PathState,
    velocity: Array,
    progress: Progress,
    sideways: Sideways,
    near: ContactSet,
    plan: ContactPlan,
    absent: Indices,
    desired: float,
    closing: bool,
    settling: bool,
) -> Signals:
    """Put them together.

    Args:
        velocity: of the joints, less that with which the reference bends, shape (n - 1,), rad/s.
        sideways: inertia and floor friction across the links.
        near: planned contacts, with those just before and behind the body; plan: those inside.
        absent: posts that were searched in vain. desired: speed, m/s.
    """
    forces = link_forces(frame, chain, sideways)
    stray = axial = np.zeros(chain.links)
    load = 0.0
    if forces is not None and frame.joint_force is not None:
        axial, stray = unexplained(forces, near, chain.pitch)
        size = np.hypot(frame.joint_force.force[:, 0], frame.joint_force.force[:, 1])
        load = float(np.fmax.reduce(size, initial=0.0))
    contacts = plan.contacts
    carrying = (contacts.activation >= 1.0) & ~contacts.redundant
    measured = carrying if plan.felt is None else carrying & (plan.felt > APPROACH)
    hold = 1.0
    count, touching = int(np.count_nonzero(carrying)), int(np.count_nonzero(measured))
    if absent.size and not closing:  # else the robot is held as planned
        hold = attainable_share(contacts.rows(chain, state, 0.0)[0], plan.presence)
    return Signals(
        (state.sigma[1:] + state.sigma[:-1]) / 2,
        progress.rate,
        desired,
        progress.residual,
        velocity,
        state.dq[3:],
        stray,
        axial,
        load,
        hold,
        count,
        touching,
        absent,
        closing,
        settling,
    )
