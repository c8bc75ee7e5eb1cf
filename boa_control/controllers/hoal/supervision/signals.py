# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Signals of one tick for the supervision, from sensors, plan and estimates."""

from __future__ import annotations

import numpy as np

from boa_control.controllers.hoal.supervision.interface import Signals
from boa_control.controllers.hoal.tick import Tick
from boa_control.estimation.body_drift import closing_speed, turn_rate
from boa_control.estimation.stray_forces import unexplained
from boa_control.model.dynamics import PlanarChain
from boa_control.optimisation.balance import attainable_share


def signals(chain: PlanarChain, tick: Tick, approach: float) -> Signals:
    """Evaluate the signals of one tick. `approach`: level up to which a contact is not detected."""
    frame, state, plan = tick.frame, tick.state, tick.plan
    strange, thrust = tick.outside, 0.0
    if strange is None:
        axial, stray, load = np.zeros(chain.links), np.zeros(chain.links), 0.0
    else:
        for near, doubt in tick.expected:
            strange = unexplained(strange, near, chain.pitch, frame.position, tick.exact, doubt)
        axial, stray, load = strange
        if tick.met is not None:
            end = -1 if tick.travel.direction > 0 else 0
            thrust = abs(axial.item(end))
            stray[end] = axial[end] = 0.0
    contacts = plan.contacts
    carrying = contacts.activation >= 1.0
    if contacts.two_sided:
        carrying &= ~contacts.redundant
    touching = carrying if plan.level is None else carrying & (plan.level > approach)
    balance = 1.0  # as planned
    planned, measured = int(np.count_nonzero(carrying)), int(np.count_nonzero(touching))
    undetected = contacts.post[carrying & ~touching].tolist() if measured < planned else ()
    if (tick.absent.size or tick.weighing) and not tick.closing:
        balance = attainable_share(contacts.rows(chain, state, 0.0)[0], plan.presence)
    drift = 0.0
    if tick.closing:
        gap = contacts.rows(chain, state, 0.0)[0]
        drift = closing_speed(gap, ~carrying | touching, frame.velocity, turn_rate(frame))
    return Signals(
        sigma=state.sigma,
        rate=tick.progress.rate,
        desired=tick.desired,
        shape=tick.progress.residual,
        velocity=tick.velocity,
        joint_rate=frame.velocity,
        along=state.dphi,
        stray=stray,
        axial=axial,
        joint_force=load,
        balance=balance,
        pressed=tick.pressed,
        planned=planned,
        measured=measured,
        absent=tick.absent,
        way=tick.way,
        drift=drift,
        closing=tick.closing,
        settling=tick.settling,
        exact=tick.exact,
        met=tick.met,
        misled=tick.misled,
        thrust=thrust,
        undetected=tuple(undetected),
    )
