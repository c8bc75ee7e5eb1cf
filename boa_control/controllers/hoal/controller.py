# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The controller `hoal`: dynamic hybrid position and force control on the path, from joint sensors
alone.

Each tick: locate the robot on its path (ProgressObserver, PathModel), plan its contacts (PostMap),
engage them as far as they are detected (Engagement, ContactAcquisition), watch whether they hold it
(Supervision), solve one QP (MotionQP) that tracks the shape in the free directions and the contact
forces in the others, and learn friction. Derivation: docs/mathematics.md.
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
from boa_control.controllers.hoal.contacts.detection import Engagement, LateForces, not_taken_on
from boa_control.controllers.hoal.contacts.plan import ContactPlan, same_contacts
from boa_control.controllers.hoal.factory import make_map, make_start, make_supervision
from boa_control.controllers.hoal.law.gravity import loaded
from boa_control.controllers.hoal.law.losses import Losses
from boa_control.controllers.hoal.law.qp import Motion, MotionQP
from boa_control.controllers.hoal.law.standstill import Standstill
from boa_control.controllers.hoal.law.torque_loss import TorqueLoss
from boa_control.controllers.hoal.law.tracking import Tracking
from boa_control.controllers.hoal.path_change import require_same_body, unrest_of
from boa_control.controllers.hoal.set_points import Steering
from boa_control.controllers.hoal.start.checks import StartChecks
from boa_control.controllers.hoal.start.contact_acquisition import ContactAcquisition
from boa_control.controllers.hoal.start.stranding import Stranding
from boa_control.controllers.hoal.supervision.signals import signals
from boa_control.controllers.hoal.supervision.stall_report import StallReport
from boa_control.controllers.hoal.tables import PathTables, make_tables
from boa_control.controllers.hoal.tick import Tick
from boa_control.estimation.progress import ProgressObserver
from boa_control.estimation.sideways_balance import Evidence, SidewaysBalance, contact_forces
from boa_control.estimation.stuck_sensors import StuckSensors
from boa_control.events import Event, EventKind, named
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.contact_set import ContactSet
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
        period, tuning = briefing.period, parameters.tuning
        self._briefing = briefing
        self._p, self._tuning = parameters, tuning
        self._chain = model.chain
        self._reference = reference = model.reference
        self._path_state = model.cursor()
        self._balance = SidewaysBalance(
            model, robot.force_sensor.noise, robot.imu.acceleration_noise
        )
        self._schedule = ContactSchedule(
            path, reference, robot.link.radius, parameters.contact_ramp
        )
        self._steering = Steering(parameters, robot.limits, period, laid.backwards)
        self._speed = laid.speed_reference(parameters, period)
        self._standstill = Standstill(period, tuning)
        self._losses = Losses(briefing, self._chain, parameters)
        self._stall_report = StallReport(robot, self._chain, path, period, tuning)
        self._sensors = StuckSensors(robot)
        self._checks = StartChecks(briefing, path, model, self._schedule, parameters)
        self._start = make_start(briefing, path, reference, parameters)
        self._observer = ProgressObserver(self._start.place, period, parameters.observer_bandwidth)
        self._map = make_map(briefing, path, model, self._schedule, parameters)
        self._qp = MotionQP(robot, self._chain, parameters, self._map, self._steering)
        self._acquisition = ContactAcquisition(period, self._map.startup_damping, tuning)
        self._tracking = Tracking(parameters, robot.joints, period, self._map.shape_limit)
        self._engagement = Engagement(len(path.contacts), period, tuning.contacts)
        self._torque_loss = TorqueLoss(robot.limits.command_age, tuning.law)
        self._stranding = Stranding(briefing.ground, tuning.law)
        self._late = LateForces(tuning.contacts)
        self._supervision = make_supervision(briefing, path, parameters)
        self._names = path.names
        self._contacts: ContactSet | None = None
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
            self._speed.steer(self._steering.speed(self._supervision.turned))

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
        same = self._tuning.post_map.same_body
        require_same_body(self._reference, self.place, after._reference, place, same)
        after._go_on_from(self)
        return after

    def _go_on_from(self, before: HoalController) -> None:
        """Take over what does not belong to the path, and the contacts at the body that are the
        same.
        """
        former, contacts = before._contacts_at_body(), self._contacts_at_body()
        same = same_contacts(former, contacts, self._tuning.contacts.same_place)
        self._contacts = contacts.select(contacts.activation > 0)
        self._names = before._names | self._names
        self._losses, self._torque_loss = before._losses, before._torque_loss
        self._tracking, self._acquisition = before._tracking, before._acquisition
        self._checks.gravity.downhill = before._checks.gravity.downhill
        self._steering.go_on_from(before._steering)
        self._speed.steer(self.set_point.speed)
        self._engagement.go_on_from(before._engagement, same)
        self._map.go_on_from(before._map, same)
        self._supervision.go_on_from(before._supervision)

    def _contacts_at_body(self) -> ContactSet:
        return self._schedule.at(self._path_state(self.place))

    def _begin(self) -> None:
        """Stand still at the start, nothing in touch, nothing learnt."""
        self._observer.reset(self._start.place)
        self._contacts = None
        self._release()
        watches = self._sensors, self._checks, self._torque_loss, self._stall_report
        for part in (self._stranding, self._losses, self._map, *watches, self._supervision):
            part.reset()

    def _interrupt(self, frame: SensorFrame) -> None:
        """The torque is away: the robot coasts. Go on from here or take hold anew."""
        self._losses.transmission.release()
        if self._acquisition.interrupt(abs(self._speed.speed), self._torque_loss.away):
            self._speed.go_on_from(self._observer.rate)
            self._tracking.reset()
            self._standstill.reset()
        else:
            self._stranding.released(self._acquisition.lost_at)
            self._release()
        self._start.restart_trial(frame)

    def _release(self) -> None:
        """Stand still and take hold of the posts anew; what has been learnt stays."""
        self._speed.stop()
        loops = self._tracking, self._acquisition, self._standstill
        for part in (*loops, self._engagement, self._late):
            part.reset()
        self._checks.gravity.release()

    def step(self, frame: SensorFrame) -> ControlOutput:
        """Compute torques for one sensor frame."""
        if not self._start.located:
            self._start.search(frame)
            if not self._start.located:
                return self._start.waiting(frame)
            self._begin()
        if self._torque_loss.update(frame.stamp_ns, frame.effort):
            self._interrupt(frame)
        if self._stranding.stranded:
            return self._stranding.waiting(frame)
        frame = self._sensors.without(frame)
        self._losses.transmission.record(frame)
        tick = self._locate(frame)
        if self._checks.refused:
            return self._checks.waiting(frame)
        tick.contacts = self._map.plan(tick.state)
        self._engage(tick)
        self._watch(tick)
        self._solve(tick)
        contacts, share, force = tick.plan.carrying(tick.share, tick.solution.lam)
        self._learn(tick, contacts)
        return ControlOutput(
            torque=self._command(tick),
            contacts=ContactReport(contacts, share, force, force, self._evidence(tick)),
            events=self._events(contacts),
            debug=self._debug(tick),
            corrected_map=self._map.news(),
        )

    def _locate(self, frame: SensorFrame) -> Tick:
        """Place on the path and the chain there."""
        on_path = self._path_state(self._observer.predict())
        state, velocity = self._map.fit(on_path, frame.velocity)
        progress = self._observer.correct(frame.position, velocity, state.q[3:], state.dphi)
        self._checks.measure(frame, state, progress.s, self._torque_loss)
        gravity = self._checks.gravity.along_floor(state)
        frame = loaded(frame, state, gravity)
        return Tick(frame, state, velocity, progress, self._speed.speed, gravity)

    def _engage(self, tick: Tick) -> None:
        """How much force each of the planned contacts may carry by now."""
        if not self._map.measured and self._acquisition.complete:
            self._acquisition.tell(tick)
            tick.plan = ContactPlan(tick.contacts, None, 1.0)
            return
        self._measure(tick)
        if self._acquisition.closing:
            self._checks.weigh(tick)
        missing = not_taken_on(tick.contacts, tick.level) if self._acquisition.closing else 0
        trusted, rules = self._map.trusted, self._tuning.contacts
        sets_off = missing == 0 or trusted or held(self._chain, tick, rules)
        self._acquisition.update(missing, self._start.on_trial, sets_off)
        self._acquisition.tell(tick)
        detected = self._map.update(tick)
        tick.plan = ContactPlan.inside(tick.contacts, detected, self._acquisition.share)

    def _measure(self, tick: Tick) -> None:
        """With what forces the contacts press, and how far they are taken on."""
        frame, contacts = tick.frame, tick.contacts
        tick.loads = self._losses.loads(tick)
        outside = tick.outside
        tick.passed_on = partial(self._losses.transmission.passed_on_with, frame.joint_force)
        forces = None
        if outside is not None:
            forces = contact_forces(outside.across, contacts, self._chain.pitch)
            forces = self._map.apportion(forces, tick)
        self._start.update_trial(forces, self._torque_loss.seen)
        self._engagement.grow(self._map.contacts)
        tick.level = self._engagement.update(contacts, forces)
        tick.force = self._engagement.force(contacts)
        tick.silent = self._engagement.silent
        tick.travel = self._steering.travel(tick.desired)

    def _watch(self, tick: Tick) -> None:
        """How far the planned contacts are trusted."""
        share = tick.plan.share
        losses, lost = self._losses, self._supervision.lost
        self._stall_report.update(tick, losses.transmission, losses.friction.posts.known, lost)
        self._supervision.glance(tick)
        if self._supervision.watching:
            trust = self._supervise(tick)
            share = share if trust == 1.0 else share * trust
        tick.share = share

    def _supervise(self, tick: Tick) -> float:
        """Share of the forces that the supervision allows; goes back, or takes hold, if it must."""
        turned, frame = self._supervision.turned, tick.frame
        expected = self._map.expected(tick)
        tick.expected = self._late.explained_by(expected, frame.stamp_ns, frame.joint_force)
        tick.absent = self._map.absent(tick.plan.contacts)
        tick.pressed = self._steering.force * self._acquisition.share
        tick.weighing = self._supervision.weighing
        tick.exact, tick.met, tick.misled = self._map.trusted, self._map.met, self._map.misled
        approach = self._tuning.contacts.approach
        self._supervision.update(signals(self._chain, tick, approach), tick.travel)
        for link in self._supervision.pop_strange():
            self._map.unexpected(link)
        if self._supervision.turned and not turned:
            self._steering.retreat()
            self._speed.steer(self._steering.speed(turned=True))
        if self._supervision.anew:
            self._release()
            self._acquisition.tell(tick)
            return self._acquisition.share
        return self._supervision.share

    def _solve(self, tick: Tick) -> None:
        """Torques and forces."""
        motion = self._take_hold(tick) if tick.closing else self._advance(tick)
        tick.solution = solution = self._qp.solve(tick, motion, self._losses.friction)
        if not tick.closing:
            self._tracking.record(solution.delta, tick.state)
        self._map.pressed(tick.plan.contacts, solution.lam)

    def _learn(self, tick: Tick, contacts: ContactSet) -> None:
        """Identify friction; what becomes known moves from the integral to the feedforward."""
        loads = tick.loads if self._map.measured else None
        direction, withheld = self._steering.direction, self._torque_loss.present
        learnt = self._losses.learn(tick, contacts, loads, direction, withheld)
        self._tracking.transfer_to_feedforward(learnt, tick.state)

    def _command(self, tick: Tick) -> Array:
        """Torques of the motors, shape (n - 1,), N m."""
        returning = self._acquisition.returning(tick.solution.torque)
        torque = self._supervision.temper(returning, tick.frame.position)
        motor = self._losses.motor_torque(torque, tick, self._speed.speed)
        return self._torque_loss.record_command(motor)

    def _take_hold(self, tick: Tick) -> Motion:
        """Take hold of the posts: stand still, drawn into the shape of the path."""
        self._speed.stop()
        frame = tick.frame
        shape, share = tick.state.q[3:], self._supervision.share
        torque = self._acquisition.pull(frame.position, frame.velocity, shape, share)
        target = np.zeros(torque.size)
        return Motion(0.0, 0.0, target, torque + self._start.hold(frame), 0.0)

    def _advance(self, tick: Tick) -> Motion:
        """Follow the desired speed and the shape of the path."""
        state, progress = tick.state, tick.progress
        if tick.resuming:
            self._speed.go_on_from(progress.rate)
        self._speed.advance(progress.s, min(self._map.speed_limit, self._supervision.speed_limit))
        self._steering.update(self._speed.speed)
        self._standstill.update(self._speed.speed, progress.rate)
        resisting = self._steering.resisting
        target = self._tracking.target(tick, self._speed, self._acquisition, resisting)
        torque = self._losses.friction.distribute(self._tracking.resistance(state), state)
        planned = self._tracking.resistance_on_path
        sped_up = self._steering.direction * self._tracking.correction
        return Motion(progress.rate, self._speed.speed, target, torque, planned, sped_up)

    def _events(self, contacts: ContactSet) -> tuple[Event, ...]:
        """Events of this tick."""
        events = transitions(self._contacts, contacts)
        self._contacts = contacts
        if self._torque_loss.began:
            events = (Event(kind=EventKind.TORQUE_WITHHELD), *events)
        told = self._start.events.pop() + self._map.events.pop() + self._supervision.events.pop()
        told += self._losses.events.pop() + self._stall_report.events.pop()
        return named(told + self._sensors.events.pop() + events, self._names)

    def _debug(self, tick: Tick) -> dict[str, float | Array]:
        progress = tick.progress
        return {
            "progress_m": progress.s,
            "progress_rate_mps": progress.rate,
            "shape_error_rad": progress.residual,
            "speed_reference_mps": self._speed.speed,
            "wanted_force_n": self._steering.force * self._acquisition.share,
            "speed_integral_mps2": self._tracking.integral,
            "qp_solved": float(tick.solution.solved),
            **self._losses.debug,
        }

    def _evidence(self, tick: Tick) -> Evidence:
        """Of the sensors on the contact forces, evaluated when somebody reads them."""
        rate = tick.progress.rate
        ground = self._losses.friction.ground_coefficient(rate)
        return Evidence(self._balance, tick.frame, tick.state.s, rate, ground)
