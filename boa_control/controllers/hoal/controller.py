"""The controller `hoal`: dynamic hybrid position and force control on the path, from joint sensors
alone.

Each tick: locate the robot on its path (ProgressObserver, PathModel), plan its contacts (PostMap),
engage them as far as they are detected (Engagement, ContactAcquisition), solve one QP (MotionQP)
that tracks the shape in the free directions and the contact forces in the others, and learn
friction. Derivation: docs/mathematics.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from boa_control.controller import Briefing, ControlOutput, SetPoint
from boa_control.controllers.contact_report import ContactReport, transitions
from boa_control.controllers.hoal import parameters
from boa_control.controllers.hoal.contacts.closure import held
from boa_control.controllers.hoal.contacts.detection import (
    Engagement,
    Expected,
    LateForces,
    not_taken_on,
)
from boa_control.controllers.hoal.contacts.plan import ContactPlan, same_contacts
from boa_control.controllers.hoal.factory import make_map, make_start, make_supervision
from boa_control.controllers.hoal.law.friction_compensation import FrictionCompensation
from boa_control.controllers.hoal.law.joint_watch import JointWatch
from boa_control.controllers.hoal.law.qp import Location, Motion, MotionQP
from boa_control.controllers.hoal.law.standstill import Standstill
from boa_control.controllers.hoal.law.torque_loss import TorqueLoss
from boa_control.controllers.hoal.law.tracking import Tracking
from boa_control.controllers.hoal.law.transmission import LEAST_SPEED, Transmission
from boa_control.controllers.hoal.path_change import require_same_body, unrest_of
from boa_control.controllers.hoal.post_map.interface import MapTick
from boa_control.controllers.hoal.set_points import Steering
from boa_control.controllers.hoal.start.contact_acquisition import ContactAcquisition
from boa_control.controllers.hoal.supervision.interface import Movement
from boa_control.controllers.hoal.supervision.residuals import Tick, signals
from boa_control.controllers.hoal.tables import PathTables, make_tables
from boa_control.controllers.speed_reference import SpeedReference
from boa_control.estimation.link_forces import link_forces, measured_loads
from boa_control.estimation.progress import Progress, ProgressObserver
from boa_control.estimation.sideways_balance import Evidence, SidewaysBalance, contact_forces
from boa_control.events import Event, EventKind
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.contact_set import ContactSet
from boa_control.optimisation.contact_qp import Solution
from boa_control.paths.path import PlannedPath
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.errors import BoaError


class HoalController:
    """Hybrid obstacle-aided locomotion: follows a path and controls the contact forces."""

    Parameters = parameters.Parameters

    def __init__(
        self,
        briefing: Briefing,
        parameters: parameters.Parameters,
        tables: PathTables | None = None,
    ) -> None:
        """Build the tables (a few tenths of a second), unless the `tables` has them.

        Raises:
            BoaError: no path, or one that bends the joints beyond their limits or hides how far the
                robot is.
        """
        laid = make_tables(briefing, parameters) if tables is None else tables
        robot, path, model = briefing.robot, laid.path, laid.model
        self._briefing = briefing
        self._robot = robot
        self._p = parameters
        self._chain = model.chain
        self._reference = reference = model.reference
        self._path_state = model.cursor()
        self._balance = SidewaysBalance(
            model, robot.force_sensor.noise, robot.imu.acceleration_noise
        )
        self._schedule = ContactSchedule(
            path, reference, robot.link.radius, parameters.contact_ramp
        )
        self._steering = Steering(parameters, briefing.period, backwards=laid.backwards)
        self._speed = SpeedReference(
            parameters.speed,
            parameters.acceleration,
            briefing.period,
            reference.end,
            laid.way,
            start=reference.start,
            backwards=laid.back,
        )
        self._standstill = Standstill(briefing.period)
        self._friction = FrictionCompensation(briefing, parameters)
        self._transmission = Transmission(
            robot, parameters.transmission, briefing.contact_friction, briefing.period
        )
        self._joint_watch = JointWatch(robot.joints, briefing.period)
        self._start = make_start(briefing, path, reference, parameters)
        self._observer = ProgressObserver(
            self._start.place, briefing.period, parameters.observer_bandwidth
        )
        self._map = make_map(briefing, path, model, self._schedule, parameters)
        self._qp = MotionQP(
            robot, self._chain, briefing.contact_friction, parameters, self._map, self._steering
        )
        self._acquisition = ContactAcquisition(briefing.period, self._map.startup_damping)
        self._tracking = Tracking(parameters, robot.joints, briefing.period, self._map.shape_limit)
        self._engagement = Engagement(len(path.obstacles), briefing.period)
        self._torque_loss = TorqueLoss(robot.limits.command_age)
        self._late = LateForces()
        self._supervision = make_supervision(briefing, path, parameters)
        self._contacts: ContactSet | None = None
        self._retreat = 1.0  # direction in which it goes back
        self.reset()

    def reset(self) -> None:
        """Forget everything; the next step starts a new run."""
        self._start.reset()
        self._steering.reset()
        self._speed.reset()
        self._begin()

    @property
    def set_point(self) -> SetPoint:
        """The present one; at first that of the parameters."""
        return self._steering.set_point

    def steer(self, set_point: SetPoint) -> None:
        """Take a new set-point, from the next step on; `Steering` says what it refuses."""
        before = self.set_point.speed
        self._steering.accept(set_point)
        if set_point.speed != before:
            self._speed.steer(self._allowed(set_point.speed))

    def _allowed(self, speed: float) -> float:
        """The speed along the path for a desired one, m/s: a robot that goes back to where posts
        hold it goes no other way.
        """
        return self._retreat * abs(speed) if self._supervision.turned else speed

    @property
    def halted(self) -> str:
        """Why the robot does not go on although it should, with the place; empty while it does.
        What it knows of the posts then is the `corrected_map` of its last outputs.
        """
        return self._supervision.halted

    @property
    def place(self) -> float:
        """Arc length of the middle joint on the path, as estimated, m."""
        return self._observer.s

    @property
    def unrest(self) -> str:
        """Why no other path may be taken now; empty while the robot stands, held by its posts."""
        return unrest_of(
            self._start, self._torque_loss, self._acquisition, self._supervision, self._standstill
        )

    def tables(self, path: PlannedPath) -> Callable[[], PathTables]:
        """The tables for another path as a task; see `Follower`."""
        return partial(make_tables, replace(self._briefing, path=path), self._p)

    def on_path(
        self, path: PlannedPath, place: float, tables: PathTables | None = None
    ) -> HoalController:
        """The controller that goes on from here on another path; see `Follower`."""
        if self.unrest:
            raise BoaError(f"new path: {self.unrest}")
        briefing = replace(
            self._briefing, path=path, start_progress=place, start_base=None, start_joints=None
        )
        after = HoalController(briefing, self._p, tables)
        require_same_body(self._reference, self.place, after._reference, place)
        after._go_on_from(self)
        return after

    def _go_on_from(self, before: HoalController) -> None:
        """Take over all that does not depend on the path, and the contacts at the body."""
        former = before._schedule.at(before._path_state(before.place))
        contacts = self._schedule.at(self._path_state(self.place))
        same = same_contacts(former, contacts)
        self._steering.go_on_from(before._steering)
        self._speed.steer(before.set_point.speed)
        self._friction, self._tracking = before._friction, before._tracking
        self._transmission = before._transmission
        self._acquisition, self._torque_loss = before._acquisition, before._torque_loss
        self._engagement.go_on_from(before._engagement, same)
        self._map.go_on_from(before._map, same)
        self._supervision.go_on_from(before._supervision)
        self._contacts = contacts.select(contacts.activation > 0)

    def _begin(self) -> None:
        """Stand still at the start, nothing in touch, nothing learnt."""
        self._observer.reset(self._start.place)
        self._contacts = None
        self._torque_loss.reset()
        self._release()
        self._friction.reset()
        self._transmission.reset()
        self._joint_watch.reset()
        self._map.reset()
        self._supervision.reset()

    def _interrupt(self, frame: SensorFrame) -> None:
        """The torque is away: the robot coasts. Go on from here or take hold anew."""
        self._transmission.release()
        if self._acquisition.interrupt(abs(self._speed.speed), self._torque_loss.away):
            self._speed.go_on_from(self._observer.rate)
            self._tracking.reset()
            self._standstill.reset()
        else:
            self._release()
        self._start.restart_trial(frame)

    def _release(self) -> None:
        """Stand still where the robot is and take hold of the posts anew; what has been learnt
        stays.
        """
        self._speed.stop()
        self._tracking.reset()
        self._acquisition.reset()
        self._engagement.reset()
        self._late.reset()
        self._standstill.reset()

    def step(self, frame: SensorFrame) -> ControlOutput:
        """Compute torques for one sensor frame."""
        if not self._start.located:
            self._start.search(frame)
            if not self._start.located:
                return self._start.waiting(frame)
            self._begin()
        if self._torque_loss.update(frame.stamp_ns, frame.effort):
            self._interrupt(frame)
        self._transmission.record(frame)
        now = self._locate(frame)
        plan = self._engage(now, self._map.plan(now.state))
        share = plan.share
        moves = Movement(now.progress, self._speed.speed, frame.velocity, now.state.dphi)
        moves = self._joint_watch.update(moves, frame, self._transmission)
        self._supervision.glance(moves, self._acquisition)
        if self._supervision.watching:
            trust = self._watch(now, plan)
            share = share if trust == 1.0 else share * trust
        solution = self._solve(now, plan, share)
        torque = self._supervision.temper(
            self._acquisition.returning(solution.torque), frame.position
        )
        self._map.pressed(plan.contacts, solution.lam)
        contacts, share, force = plan.carrying(share, solution.lam)
        self._learn(now, contacts)
        motor = self._transmission.motor_torque(
            torque,
            self._friction.direction(now.state, self._speed.speed),
            now.state.dphi * now.progress.rate,
        )
        return ControlOutput(
            torque=self._torque_loss.record_command(motor),
            contacts=ContactReport(contacts, share, force, force, self._evidence(now)),
            events=self._events(contacts),
            debug=self._debug(now.progress, solution),
            corrected_map=self._map.news(),
        )

    def _locate(self, frame: SensorFrame) -> Location:
        """Place on the path and the chain there."""
        on_path = self._path_state(self._observer.predict())
        state, velocity = self._map.fit(on_path, frame.velocity)
        progress = self._observer.correct(frame.position, velocity, state.q[3:], state.dphi)
        return Location(frame, state, velocity, progress)

    def _engage(self, now: Location, contacts: ContactSet) -> ContactPlan:
        """How much force each of the planned contacts may carry by now."""
        self._near = contacts
        if not self._map.measured and self._acquisition.complete:
            return ContactPlan(contacts, None, 1.0)
        sideways = self._friction.sideways(now.state, now.progress.rate)
        self._outside = link_forces(now.frame, self._chain, sideways)
        passed_on = partial(self._transmission.passed_on_now, now.frame.effort)
        forces = None
        if self._outside is not None:
            forces = contact_forces(self._outside.across, contacts, self._chain.pitch)
            forces = self._map.apportion(
                forces, contacts, now.frame, self._outside.across, passed_on
            )
        self._start.update_trial(forces, self._torque_loss.seen)
        self._engagement.grow(self._map.contacts)
        level = self._engagement.update(contacts, forces)
        missing = not_taken_on(contacts, level) if self._acquisition.closing else 0
        sets_off = missing == 0 or self._map.trusted
        sets_off = sets_off or held(self._chain, now.state, contacts, level, now.progress.residual)
        self._acquisition.update(missing, self._start.on_trial, sets_off)
        self._travel = self._steering.travel(self._speed.speed)
        detected = self._map.update(
            MapTick(
                frame=now.frame,
                state=now.state,
                contacts=contacts,
                level=level,
                force=self._engagement.force(contacts),
                silent=self._engagement.silent,
                closing=self._acquisition.closing,
                travel=self._travel,
                passed_on=passed_on,
                load=0.0 if self._outside is None else self._outside.largest,
                searching=self._acquisition.searching,
            )
        )
        return ContactPlan.inside(contacts, detected, self._acquisition.share)

    def _watch(self, now: Location, plan: ContactPlan) -> float:
        """Share of the forces that the supervision allows; turns the robot round where it must."""
        turned, frame = self._supervision.turned, now.frame
        near = self._map.expected(now.state, self._near)
        expected = Expected(near, self._map.doubt(near))
        tick = Tick(
            frame=frame,
            state=now.state,
            velocity=now.velocity,
            progress=now.progress,
            outside=self._outside,
            expected=self._late.explained_by(expected, frame.stamp_ns, frame.joint_force),
            plan=plan,
            absent=self._map.absent(plan.contacts),
            desired=self._speed.speed,
            pressed=self._steering.force * self._acquisition.share,
            startup=self._acquisition,
            weighing=self._supervision.weighing,
            exact=self._map.trusted,
            met=self._map.met,
            misled=self._map.misled,
            direction=self._travel.direction,
        )
        self._supervision.update(signals(self._chain, tick), self._travel)
        for link in self._supervision.pop_strange():
            self._map.unexpected(link)
        if self._supervision.turned and not turned:
            self._retreat = -self._steering.direction
            self._speed.steer(self._allowed(self.set_point.speed))
        return self._supervision.share

    def _solve(self, now: Location, plan: ContactPlan, share: Array) -> Solution:
        """Torques and forces; `share` of its force that each contact carries, shape (nc,)."""
        closing = self._acquisition.closing
        motion = self._hold(now) if closing else self._advance(now)
        solution = self._qp.solve(now, plan, share, motion, self._friction, self._acquisition)
        if not closing:
            self._tracking.record(solution.delta, now.state)
        return solution

    def _learn(self, now: Location, contacts: ContactSet) -> None:
        """Identify friction; what becomes known moves from the integral to the feedforward."""
        frame, state, rate = now.frame, now.state, now.progress.rate
        if self._transmission.due(frame) and not self._torque_loss.present:
            sideways = self._friction.sideways(state, rate)
            loads = measured_loads(frame, self._chain, sideways)
            moves = self._steering.direction * rate > LEAST_SPEED
            passed_on = self._transmission.measured(loads, contacts, rate)
            self._transmission.update(frame, passed_on, state.dphi * rate, moves)
        learnt = self._friction.observe(frame, state, rate, self._steering.direction)
        self._tracking.transfer_to_feedforward(learnt, now.state)

    def _hold(self, now: Location) -> Motion:
        """Take hold of the posts: stand still, drawn into the shape of the path."""
        self._speed.stop()
        frame = now.frame
        shape, share = now.state.q[3:], self._supervision.share
        torque = self._acquisition.pull(frame.position, frame.velocity, shape, share)
        target = np.zeros(self._robot.joints)
        return Motion(0.0, 0.0, target, torque + self._start.hold(frame), 0.0)

    def _advance(self, now: Location) -> Motion:
        """Follow the desired speed and the shape of the path."""
        progress = now.progress
        if self._acquisition.resuming:
            self._speed.go_on_from(progress.rate)
        self._speed.advance(progress.s, min(self._map.speed_limit, self._supervision.speed_limit))
        self._steering.update(self._speed.speed)
        self._standstill.update(self._speed.speed, progress.rate)
        target = self._tracking.target(
            self._speed,
            now.velocity,
            now.state,
            progress,
            self._acquisition,
            self._steering.resisting,
        )
        torque = self._friction.distribute(self._tracking.resistance(now.state), now.state)
        planned = self._tracking.resistance_on_path
        sped_up = self._steering.direction * self._tracking.correction
        return Motion(progress.rate, self._speed.speed, target, torque, planned, sped_up)

    def _events(self, contacts: ContactSet) -> tuple[Event, ...]:
        """Events of this tick."""
        events = transitions(self._contacts, contacts)
        self._contacts = contacts
        if self._torque_loss.began:
            events = (Event(kind=EventKind.TORQUE_WITHHELD), *events)
        return (
            self._start.pop_events()
            + self._map.pop_events()
            + self._supervision.pop_events()
            + self._joint_watch.pop_events()
            + events
        )

    def _debug(self, progress: Progress, solution: Solution) -> dict[str, float | Array]:
        return {
            "progress_m": progress.s,
            "progress_rate_mps": progress.rate,
            "shape_error_rad": progress.residual,
            "speed_reference_mps": self._speed.speed,
            "wanted_force_n": self._steering.force * self._acquisition.share,
            "speed_integral_mps2": self._tracking.integral,
            "qp_solved": float(solution.solved),
            **self._friction.debug,
            **self._transmission.debug,
        }

    def _evidence(self, now: Location) -> Evidence:
        """Of the sensors on the contact forces, evaluated when somebody reads them."""
        rate = now.progress.rate
        ground = self._friction.ground_coefficient(rate)
        return Evidence(self._balance, now.frame, now.state.s, rate, ground)
