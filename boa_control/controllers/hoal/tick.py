# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The record of one control tick."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from boa_control.controllers.hoal.contacts.detection import Expected
from boa_control.controllers.hoal.contacts.plan import ContactPlan
from boa_control.controllers.hoal.set_points import Travel
from boa_control.controllers.hoal.supervision.headway import Way
from boa_control.controllers.hoal.supervision.reasons import Finding
from boa_control.estimation.link_forces import LinkForces
from boa_control.estimation.progress import Progress
from boa_control.estimation.touch_points import PassedOn
from boa_control.model.contact_set import ContactSet
from boa_control.model.path_model import PathState
from boa_control.optimisation.contact_qp import Solution
from boa_control.plant import SensorFrame
from boa_description.arrays import Array, Flags, Indices


@dataclass(slots=True, eq=False, repr=False)
class Tick:
    """All that is known at one control tick. The stages of `HoalController.step` complete it in
    order; each field is written once, and to read it earlier is an AttributeError.

    Where the map is exact and the posts are held, nothing is measured: of what `engage` writes,
    there are then only the start-up and the plan. `watch` writes the share alone where the
    supervision is not `watching`.

    Attributes:
        frame: of the sensors.
        state: the chain on the path at the predicted place, fitted to the posts; until the next
            tick.
        velocity: of the joints, shape (n - 1,), rad/s, without that with which the fit changes.
        progress: estimated.
        desired: speed along the path, the reference of the tick before, m/s.
        gravity: along the floor, in the frame of the state, shape (2,), m/s2; the accelerations of
            the frame are less by it.

        contacts: planned, with those before and behind the body that the map has in view.

        loads: forces on the links from outside, and moments of the joint forces about their
            middles, shape (n,), N m; None without sensors.
        passed_on: gives what the joints passed on at the sample of the forces; in this tick only.
        level: shape (nc,), how far each contact has been taken on.
        force: shape (nc,), measured, smoothed, N.
        silent: contacts that no sensor tells of now, shape (nc,); without sensors none is, and all
            count as detected.
        travel: which way the robot goes, and how fast at most.
        closing, resuming, missing: of the start-up, see `ContactAcquisition`.
        settling: the shape of the start-up still gives way to that of the path.
        plan: the contacts inside the body, and how far each is detected.

        way: since the robot last got on.
        stuck: why it gets on no more: joints that have held it for so long that they will not let
            it go, or that it slips back; None: it may.
        expected: contacts that may press on the links, those of this tick first.
        absent: posts that were searched in vain.
        pressed: force that contacts shall carry by now, N.
        weighing: whether the hold is evaluated although no post is absent.
        exact: posts that stand do so where the map says.
        met: post on which the leading end runs before it is beside it; None: none.
        misled: why posts as touch tells of them leave no way on; empty where they may.
        share: of its force that each contact of `plan` carries, shape (nc,).

        solution: of the QP.
    """

    # locate
    frame: SensorFrame
    state: PathState
    velocity: Array
    progress: Progress
    desired: float
    gravity: Array
    # plan
    contacts: ContactSet = field(init=False)
    # engage
    loads: tuple[LinkForces, Array] | None = field(init=False)
    passed_on: Callable[[], PassedOn] = field(init=False)
    level: Array = field(init=False)
    force: Array = field(init=False)
    silent: Flags = field(init=False)
    travel: Travel = field(init=False)
    closing: bool = field(init=False)
    resuming: bool = field(init=False)
    missing: int = field(init=False)
    settling: bool = field(init=False)
    plan: ContactPlan = field(init=False)
    # watch
    way: Way = field(init=False)
    stuck: Finding | None = field(init=False)
    expected: tuple[Expected, ...] = field(init=False)
    absent: Indices = field(init=False)
    pressed: float = field(init=False)
    weighing: bool = field(init=False)
    exact: bool = field(init=False)
    met: int | None = field(init=False)
    misled: str = field(init=False)
    share: Array = field(init=False)
    # solve
    solution: Solution = field(init=False)

    @property
    def place(self) -> float:
        """Path coordinate of the middle link's middle, m."""
        middle, sigma = self.state.along.size // 2, self.state.sigma
        return (sigma.item(middle + 1) + sigma.item(middle)) / 2

    @property
    def taken_on(self) -> Flags:
        """Contacts that have been taken on fully, shape (nc,)."""
        return np.asarray(self.level >= 1.0)

    @property
    def outside(self) -> LinkForces | None:
        """Forces on the links from outside; None without sensors."""
        return None if self.loads is None else self.loads[0]
