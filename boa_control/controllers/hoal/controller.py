"""The controller `hoal`: dynamic hybrid position and force control on the path, from joint sensors
alone.

Each tick: where on the path (ProgressObserver), the chain there (PathModel), which posts touch it
(ContactSchedule), then one quadratic programme (qp) that tracks the shape in the free directions
and the contact forces in the others. Derivation: docs/mathematics.md.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np

from boa_control.controller import Briefing, ControlOutput
from boa_control.controllers.contact_report import ContactReport, Felt, transitions
from boa_control.controllers.hoal import parameters
from boa_control.controllers.hoal.displaced_map import DisplacedMap
from boa_control.controllers.hoal.engagement import Engagement
from boa_control.controllers.hoal.friction import Friction
from boa_control.controllers.hoal.outage import Outage
from boa_control.controllers.hoal.profile import plan_profile
from boa_control.controllers.hoal.startup import StartUp
from boa_control.controllers.hoal.tracking import Tracking
from boa_control.controllers.hoal.unknown_start import UnknownStart
from boa_control.controllers.speed_reference import SpeedReference
from boa_control.estimation.progress import Progress, ProgressObserver, require_visible_progress
from boa_control.estimation.sideways_balance import measured_deviations, measured_forces
from boa_control.model.contact_set import ContactSchedule, ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathModel, PathState
from boa_control.model.reference import ReferenceTable
from boa_control.optimisation import contact_qp as qp
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.torque_speed import TorqueSpeedLine


class Motion(NamedTuple):
    """What one tick asks of the programme.

    Attributes:
        rate: at which the robot moves along the path, m/s.
        target: wanted deviation of the joint accelerations from those that the path demands, shape
            (n - 1,), rad/s2.
        torque: what the joints give besides, shape (n - 1,), N m.
    """

    rate: float
    target: Array
    torque: Array | float


class HoalController:
    """Hybrid obstacle-aided locomotion along the briefed path."""

    Parameters = parameters.Parameters

    def __init__(self, briefing: Briefing, parameters: parameters.Parameters) -> None:
        """Build the tables (a few tenths of a second).

        Raises:
            BoaError: no path, or one that bends the joints beyond their limits or hides how far the
                robot is.
        """
        if briefing.path is None:
            raise BoaError("controller hoal: the scenario has no path; add a path block")
        robot = briefing.robot
        self._robot = robot
        self._p = parameters
        self._chain = PlanarChain(robot)
        reference = ReferenceTable(briefing.path.curve, robot.links, robot.link.pitch)
        _check_joint_limits(reference, briefing)
        require_visible_progress(reference)
        self._path_state = PathModel(self._chain, reference, briefing.ground).cursor()
        self._schedule = ContactSchedule(
            briefing.path, reference, robot.link.radius, parameters.contact_ramp
        )
        profile = plan_profile(briefing, self._chain, reference, self._planned, parameters)
        self._speed = SpeedReference(
            parameters.speed, parameters.acceleration, briefing.period, reference.end, profile
        )
        self._contact_friction = briefing.contact_friction
        self._friction = Friction(briefing, parameters)
        start = briefing.start_progress
        self._observer = ProgressObserver(
            start or 0.0, briefing.period, parameters.observer_bandwidth
        )
        self._start = (
            UnknownStart(briefing.path, reference, robot, parameters.start, briefing.period)
            if start is None
            else None
        )
        self._solver = qp.Solver(qp.Weights())
        self._servos = TorqueSpeedLine(
            robot.actuator, robot.joints, limit=robot.limits.torque, share=parameters.torque_share
        )
        posts = len(briefing.path.obstacles)
        displaced = parameters.map_error > 0
        self._displaced = (
            DisplacedMap(robot, self._chain, posts, briefing.period, parameters)
            if displaced
            else None
        )
        self._startup = StartUp(robot.joints, briefing.period, displaced)
        self._tracking = Tracking(parameters, robot.joints, briefing.period)
        self._engagement = Engagement(posts, briefing.period)
        self._outage = Outage(robot.limits.command_age)
        self.reset()

    def reset(self) -> None:
        """Forget everything; the next step starts a new run."""
        if self._start is not None:
            self._start.reset()
        self._begin(None)

    def _begin(self, place: float | None) -> None:
        """Stand still at `place`, m (where the run starts, by default), nothing in touch, nothing
        learnt.
        """
        self._observer.reset(place)
        self._contacts: ContactSet | None = None
        self._outage.reset()
        self._let_go()
        self._friction.reset()
        if self._displaced is not None:
            self._displaced.reset()

    def _let_go(self) -> None:
        """Stand still where the robot is and take hold of the posts anew; what has been learnt
        stays.
        """
        self._speed.stop()
        self._tracking.reset()
        self._startup.reset()
        self._engagement.reset()

    def step(self, frame: SensorFrame) -> ControlOutput:
        """Compute torques for one sensor frame."""
        if self._start is not None and self._start.place is None:
            waiting = self._start.look(frame)
            if waiting is not None:
                return waiting
            self._begin(self._start.place)
        if self._outage.look(frame.stamp_ns, frame.effort):
            self._let_go()
            if self._start is not None:
                self._start.let_go(frame)
        state, velocity = self._path_state(self._observer.predict()), frame.velocity
        if self._displaced is None:
            contacts = self._schedule.at(state)
        else:
            state, contacts = self._displaced.look(state, self._schedule)
            velocity = velocity - self._displaced.bending
        progress = self._observer.correct(frame.position, velocity, state.q[3:], state.dq[3:])
        contacts = self._take_hold(frame, state, progress, contacts)
        motion = (
            self._closing(frame, state)
            if self._startup.closing
            else self._moving(velocity, state, progress)
        )
        solution = self._solver.solve(self._problem(frame, state, contacts, motion))
        force = solution.lam
        if self._displaced is not None:
            felt = contacts.activation > 0
            contacts, force = contacts.select(felt), force[felt]
        found = self._friction.observe(frame, state, contacts, progress.rate, self._speed.speed)
        self._tracking.give_back(found, state)
        return ControlOutput(
            torque=self._outage.ask(solution.torque),
            contacts=ContactReport(
                contacts, force, force, partial(self._felt, frame, state, contacts, progress.rate)
            ),
            events=self._news(contacts),
            debug=self._debug(progress, solution),
        )

    def _closing(self, frame: SensorFrame, state: PathState) -> Motion:
        """Take hold of the posts: stand still, drawn into the shape of the path."""
        self._speed.stop()
        torque = self._startup.pull(frame.position, frame.velocity, state.q[3:])
        if self._start is not None:
            torque = torque + self._start.hold(frame)
        return Motion(0.0, np.zeros(self._robot.joints), torque)

    def _moving(self, velocity: Array, state: PathState, progress: Progress) -> Motion:
        """Follow the wanted speed and the shape of the path; `velocity` of the joints without
        bending, (n - 1,).
        """
        self._speed.advance(
            progress.s, math.inf if self._displaced is None else self._displaced.speed_limit
        )
        target = self._tracking.target(self._speed, velocity, state, progress, self._startup)
        torque = self._friction.shared_out(self._tracking.resistance(state), state)
        return Motion(progress.rate, target, torque)

    def _news(self, contacts: ContactSet) -> tuple[str, ...]:
        """What has happened in this tick."""
        events = transitions(self._contacts, contacts)
        self._contacts = contacts
        if self._outage.began:
            events = ("torque withheld", *events)
        return events if self._start is None else self._start.take_events() + events

    def _debug(self, progress: Progress, solution: qp.Solution) -> dict[str, float | Array]:
        return {
            "progress_m": progress.s,
            "progress_rate_mps": progress.rate,
            "shape_error_rad": progress.residual,
            "speed_reference_mps": self._speed.speed,
            "wanted_force_n": self._p.force * self._startup.share,
            "speed_integral_mps2": self._tracking.integral,
            "qp_solved": float(solution.solved),
            **self._friction.debug,
        }

    def _take_hold(
        self, frame: SensorFrame, state: PathState, progress: Progress, planned: ContactSet
    ) -> ContactSet:
        """The contacts to count on, with the share of force that each may carry by now."""
        if self._displaced is None and self._startup.share >= 1.0 and not self._startup.closing:
            return planned
        ground = self._friction.ground_coefficient(progress.rate)
        forces = measured_forces(frame, state, planned, self._chain, progress.rate, ground)
        if self._start is not None:
            self._start.feel(forces, self._outage.seen)
        level = self._engagement.update(planned, forces)
        expected = (planned.activation >= 1.0) & ~planned.redundant
        on_trial = self._start is not None and self._start.on_trial
        self._startup.update(bool((level[expected] >= 1.0).all()), on_trial)
        activation = planned.activation * self._startup.share
        if self._displaced is not None:
            felt = self._engagement.force(planned)
            activation = activation * self._displaced.take_in(
                frame, state, planned, level, felt, self._startup.closing
            )
        return planned._replace(activation=activation).select(planned.activation > 0)

    def _felt(
        self, frame: SensorFrame, state: PathState, contacts: ContactSet, rate: float
    ) -> Felt | None:
        """Contact forces from the sensors with their standard deviations, shape (nc,) each, N."""
        forces = measured_forces(
            frame, state, contacts, self._chain, rate, self._friction.ground_coefficient(rate)
        )
        if forces is None:
            return None
        noise = self._robot.force_sensor.noise, self._robot.imu.acceleration_noise
        return forces, measured_deviations(frame.position, contacts, self._chain, *noise)

    def _planned(self, s: float) -> tuple[PathState, ContactSet]:
        """Chain and contacts at path coordinate s, as the map has them."""
        state = self._path_state(s)
        return state, self._schedule.at(state)

    def _problem(
        self, frame: SensorFrame, state: PathState, contacts: ContactSet, motion: Motion
    ) -> qp.Problem:
        p, rate = self._p, motion.rate
        joint_rate = state.dq[3:] * rate
        bias = state.bias(rate, self._friction.ground_coefficient(rate))
        joint_bias = bias[3:]
        joint_bias += self._friction.joint_torque(
            joint_rate, self._friction.direction(state, self._speed.speed)
        )
        joint_bias += motion.torque
        gap, push = contacts.rows(self._chain, state, self._contact_friction)
        if self._displaced is not None:
            push = push * (contacts.activation > 0)[:, None]  # what is not felt cannot push
        wanted, floor = contacts.preload(p.force, p.force_floor)
        return qp.Problem(
            mass=state.mass,
            bias=bias,
            gap=gap,
            push=push,
            slip=self._slip(gap, contacts.activation, frame.velocity),
            redundant=contacts.left_out,
            target=motion.target,
            wanted=wanted,
            floor=floor,
            torque_bounds=self._servos.bounds(joint_rate),
            joint_forces=self._joint_forces(state, rate, contacts),
        )

    def _slip(self, gap: Array, activation: Array, velocity: Array) -> Array | None:
        """Acceleration of the gaps beyond that of the path, m/s2: none where the map is exact."""
        if self._displaced is None or self._startup.closing:
            return None
        return self._displaced.slip(
            gap, np.minimum(activation / self._startup.share, 1.0), velocity
        )

    def _joint_forces(
        self, state: PathState, rate: float, contacts: ContactSet
    ) -> qp.JointForces | None:
        if self._p.joint_force is None:
            return None
        bias = state.joint_force_bias(rate, self._friction.ground_coefficient(rate))
        return qp.JointForces(
            contacts.beyond(self._robot.joints), state.momentum, bias, self._p.joint_force
        )


def _check_joint_limits(reference: ReferenceTable, briefing: Briefing) -> None:
    """Refuse a path that bends a joint into its stop."""
    joint = briefing.robot.joint
    start, end = reference.extent
    s = start + np.linspace(0.0, min(reference.span, end - start), 2000)
    shapes = reference.shapes(s)
    worst = np.unravel_index(
        int(np.argmax(np.maximum(shapes - joint.upper, joint.lower - shapes))), shapes.shape
    )
    angle = float(shapes[worst])
    if not joint.lower <= angle <= joint.upper:
        limit = joint.upper if angle > 0 else joint.lower
        raise BoaError(
            f"path: joint {worst[1] + 1} must bend to {np.degrees(angle):.1f} deg at s = "
            f"{s[worst[0]]:.3f} m, its "
            f"limit is {np.degrees(limit):.1f} deg; use gentler bends: larger radius or "
            f"spacing, smaller attack_angle"
        )
