"""Signals of one tick for the supervision, from sensors, plan and estimates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from boa_control.controllers.hoal.contacts.detection import APPROACH, Expected
from boa_control.controllers.hoal.contacts.plan import ContactPlan
from boa_control.controllers.hoal.start.contact_acquisition import ContactAcquisition
from boa_control.controllers.hoal.supervision.interface import Signals
from boa_control.estimation.body_drift import closing_speed, turn_rate
from boa_control.estimation.link_forces import LinkForces
from boa_control.estimation.progress import Progress
from boa_control.estimation.stray_forces import unexplained
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathState
from boa_control.optimisation.balance import attainable_share
from boa_control.plant import SensorFrame
from boa_description.arrays import Array, Indices


class Tick(NamedTuple):
    """One tick of the controller, as the supervision sees it.

    Attributes:
        frame: of the sensors. state: the chain fitted to the posts.
        velocity: of the joints, less that with which the reference bends, shape (n - 1,), rad/s.
        progress: estimated. outside: forces on the links from outside; None without sensors.
        expected: contacts that may press on the links, those of this tick first. plan: those of
            them inside the body.
        absent: posts that were searched in vain. desired: speed, m/s.
        pressed: force that contacts shall carry by now, N.
        startup: how far the first posts are taken hold of.
        weighing: whether the hold is evaluated although no post is absent.
        exact: posts that stand do so where the map says.
        met: post on which the leading end runs before it is beside it.
        misled: why posts as touch tells of them leave no way on; empty where they may.
        direction: of travel, 1 or -1, also of a robot that stands: which end leads.
    """

    frame: SensorFrame
    state: PathState
    velocity: Array
    progress: Progress
    outside: LinkForces | None
    expected: tuple[Expected, ...]
    plan: ContactPlan
    absent: Indices
    desired: float
    pressed: float
    startup: ContactAcquisition
    weighing: bool
    exact: bool
    met: int | None
    direction: int
    misled: str = ""


def signals(chain: PlanarChain, tick: Tick) -> Signals:
    """Evaluate the signals of one tick."""
    frame, state, plan = tick.frame, tick.state, tick.plan
    strange, thrust = tick.outside, 0.0
    if strange is None:
        axial, stray, load = np.zeros(chain.links), np.zeros(chain.links), 0.0
    else:
        for near, doubt in tick.expected:
            strange = unexplained(strange, near, chain.pitch, frame.position, tick.exact, doubt)
        axial, stray, load = strange
        if tick.met is not None:
            end = -1 if tick.direction > 0 else 0
            thrust = abs(axial.item(end))
            stray[end] = axial[end] = 0.0
    contacts = plan.contacts
    carrying = contacts.activation >= 1.0
    if contacts.two_sided:
        carrying &= ~contacts.redundant
    measured = carrying if plan.detected is None else carrying & (plan.detected > APPROACH)
    hold = 1.0  # as planned
    count, touching = int(np.count_nonzero(carrying)), int(np.count_nonzero(measured))
    undetected = contacts.obstacle[carrying & ~measured].tolist() if touching < count else ()
    if (tick.absent.size or tick.weighing) and not tick.startup.closing:
        hold = attainable_share(contacts.rows(chain, state, 0.0)[0], plan.presence)
    drift = 0.0
    if tick.startup.closing:
        gap = contacts.rows(chain, state, 0.0)[0]
        drift = closing_speed(gap, ~carrying | measured, frame.velocity, turn_rate(frame))
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
        hold=hold,
        pressed=tick.pressed,
        contacts=count,
        touching=touching,
        absent=tick.absent,
        drift=drift,
        closing=tick.startup.closing,
        settling=tick.startup.easing,
        exact=tick.exact,
        met=tick.met,
        misled=tick.misled,
        thrust=thrust,
        undetected=tuple(undetected),
    )
