# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The start from an unknown place: compare the joint angles, and where they leave a doubt, touch
the posts.

Joint angles tell the place up to a repeat of the path (`start_search`). Where repeats differ in the
sides on which posts stand, and no heading tells which it is, the robot tries one: it takes hold of
the posts as at any start, with forces that rise from almost nothing, but stiffly in the shape in
which it lies. Where posts really stand on the sides that it presses towards, it measures them; if
it measures them from the other side, or not at all, the next repeat is tried.
"""

from functools import partial

import numpy as np

from boa_control.controller import ControlOutput
from boa_control.controllers.hoal.parameters import StartSettings
from boa_control.controllers.hoal.start.initial_place import StartPlace
from boa_control.controllers.hoal.tuning import SHIPPED, Tuning
from boa_control.estimation.low_pass import LowPass
from boa_control.estimation.start_search import SAME_START, Heading, Start, StartSearch
from boa_control.events import Event, EventKind, EventQueue, Refused, StartPosts
from boa_control.model.reference import ReferenceTable
from boa_control.paths.path import PlannedPath
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.robot import Robot


class UnknownStart(StartPlace):
    """From no knowledge of the place to one that has been seen and, where repeats differ,
    detected.
    """

    def __init__(
        self,
        path: PlannedPath,
        reference: ReferenceTable,
        robot: Robot,
        settings: StartSettings,
        period: float,
        tuning: Tuning = SHIPPED,
    ) -> None:
        """Tabulate the places of the path; takes a few tenths of a second. `period`: of the control
        ticks, s.
        """
        limits = (robot.joint.lower, robot.joint.upper)
        self._search = StartSearch(path, reference, limits, settings.tolerance)
        self._settings = settings
        self._tuning = tuning.start
        self._decisive = tuning.contacts.decisive_force  # N, of the sum of the measured forces
        self._settling = tuning.law.still_time  # s, in which inertia looks like them
        self._pressed = LowPass(period, tuning.contacts.blow_time)  # that sum
        self._held = LowPass(period, tuning.contacts.filter_time)  # angles of joints held stiffly
        self._period = period
        self._repeat = reference.span
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.located = False
        self.place = 0.0
        self._debug: dict[str, float | Array] = {}
        self.events = EventQueue()
        self._agreeing: list[Array] = []  # joint angles of samples in a row that agree
        self._last_s = np.inf
        self._misfits = 0  # samples in a row of which none fits
        self.on_trial = False
        self._rivals: list[float] = []
        self._shape = self._position = np.zeros(0)  # joint angles when found, and now, smoothed
        self._patience = self._tuning.first_trial
        self._force = self._trial_time = 0.0

    def search(self, frame: SensorFrame) -> None:
        """Use one sample of a robot that stands still without torque."""
        if self._rivals:
            self._begin(self._rivals.pop(0))
            return
        heading = self._heading(frame)
        best = self._search.find(frame.position, heading)
        complaint = self._complaint(best, frame)
        self._misfits = 0 if complaint is None else self._misfits + 1
        agrees = complaint is None and self._near_last(best.s)
        self._agreeing = [*self._agreeing, frame.position] if agrees else []
        self._last_s = best.s
        if len(self._agreeing) >= self._settings.samples:
            self._shape = self._position = np.mean(self._agreeing, axis=0)
            best = self._search.find(self._shape, heading)
            self._agreeing, self._rivals = [], list(best.alternatives)
            self.on_trial = bool(best.alternatives)
            s, confidence = float(best.s), float(best.confidence)
            self.events.add(Event(kind=EventKind.START_FOUND, s=s, value=confidence))
            self._begin(best.s)
            return
        if complaint is not None and self._misfits == self._settings.samples:
            self.events.add(complaint)
        self._debug = {
            "start_confidence": best.confidence,
            "start_residual_rad": best.residual,
            "start_candidate_m": best.s,
        }

    def waiting(self, frame: SensorFrame) -> ControlOutput:
        """No torque, and how good the best place is."""
        torque = np.zeros(frame.position.size)
        return ControlOutput(torque, events=self.events.pop(), debug=self._debug, ready=False)

    def update_trial(self, forces: Array | None, torque_seen: bool) -> None:
        """Compare the measured forces of the planned contacts, shape (nc,), N, with the place on
        trial.

        Where the posts stand otherwise it is no longer `located`; `search` then tries the next
        one. Only forces measured since torque has been seen confirm a place: whoever handles the
        robot before it is armed presses it somewhere.
        """
        if not self.on_trial:
            return
        tuning = self._tuning
        self._trial_time += self._period
        if forces is not None and self._trial_time > self._settling:
            self._force = self._pressed.follow(self._force, float(np.nansum(forces)))
        if self._force > self._decisive:
            if torque_seen:
                self.on_trial, self._rivals = False, []
                self.events.add(Event(kind=EventKind.START_CONFIRMED))
        elif self._force < -self._decisive or self._trial_time > self._patience:
            otherwise = self._force < -self._decisive
            posts = StartPosts.OTHER_SIDE if otherwise else StartPosts.NOT_DETECTED
            s = float(self.place)
            self.events.add(Event(kind=EventKind.START_REFUTED, s=s, reason=posts))
            self.located = False
            self._patience = min(2 * self._patience, tuning.longest_trial)

    def restart_trial(self, frame: SensorFrame) -> None:
        """The torque was away, so nothing could be detected: the trial begins anew, in the shape
        that the robot has now.
        """
        self._force, self._trial_time, self._patience = 0.0, 0.0, self._tuning.first_trial
        self._shape = self._position = frame.position

    def hold(self, frame: SensorFrame) -> Array | float:
        """Torques that keep the joints where they were found, while the place is on trial; (n -
        1,), N m.
        """
        if not self.on_trial:
            return 0.0
        tuning = self._tuning
        self._position = self._held.follow(self._position, frame.position)
        torque: Array = tuning.trial_stiffness * (self._shape - self._position)
        torque -= tuning.held_damping * frame.velocity
        return torque

    def _begin(self, place: float) -> None:
        self.place, self.located = place, True
        self._force = self._trial_time = 0.0
        self._misfits, self._last_s = 0, np.inf

    def _near_last(self, s: float) -> bool:
        """Whether `s` is the same place as that of the last sample, in whatever repeat."""
        apart = s - self._last_s
        return (
            bool(np.isfinite(apart))
            and abs(apart - self._repeat * round(apart / self._repeat)) < SAME_START
        )

    def _heading(self, frame: SensorFrame) -> Heading | None:
        """Heading of link 1; None unless the settings say what it was when the IMUs were zeroed."""
        if self._settings.heading is None or frame.imu is None or not np.isfinite(frame.imu.yaw[0]):
            return None
        return Heading(self._settings.heading + float(frame.imu.yaw[0]), self._settings.heading_std)

    def _complaint(self, best: Start, frame: SensorFrame) -> Event | None:
        """Why the robot must not start from this place; None if it may."""
        settings = self._settings
        refused = partial(Event, kind=EventKind.START_REFUSED)
        if best.residual > 2 * settings.tolerance and best.confidence < settings.confidence:
            return refused(
                reason=Refused.NO_PLACE_FITS,
                value=float(best.residual),
                note=f"no place on the path fits, the nearest shape is "
                f"{np.degrees(best.residual):.1f} deg off (rms over "
                f"the joints; start.tolerance is {np.degrees(settings.tolerance):.1f} deg); "
                f"lay the robot on its path",
            )
        if best.confidence < settings.confidence:
            return refused(
                reason=Refused.UNCERTAIN,
                s=float(best.s),
                value=float(best.confidence),
                note=f"the likeliest place, s = {best.s:.3f} m, has a confidence of "
                f"{best.confidence:.3f} only "
                f"(start.confidence is {settings.confidence}); lay the robot where the path "
                f"bends otherwise",
            )
        if best.alternatives and frame.joint_force is None:
            return refused(
                reason=Refused.NO_SENSORS,
                note="repeats of the path with posts on other sides cannot be told apart without "
                "joint force sensors; give start.heading",
            )
        return None
