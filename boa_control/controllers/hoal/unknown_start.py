"""The start from an unknown place: look at the joint angles, and where they leave a doubt, feel the
posts.

Joint angles tell the place up to a repeat of the path (`start_search`). Where repeats differ in the
sides on which posts stand, and no heading tells which it is, the robot tries one: it takes hold of
the posts as at any start, with forces that rise from almost nothing, but stiffly in the shape in
which it lies. Where posts really stand on the sides that it presses towards, it feels them; if it
feels them from the other side, or not at all, the next repeat is tried.
"""

from __future__ import annotations

import numpy as np

from boa_control.controller import ControlOutput
from boa_control.controllers.hoal.parameters import StartSettings
from boa_control.estimation.start_search import SAME_START, Heading, Start, StartSearch
from boa_control.model.reference import ReferenceTable
from boa_control.paths.path import PlannedPath
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.robot import Robot

# N, sum of the measured forces that confirms or refutes a repeat; well above its noise
DECISION_FORCE = 1.0
FILTER_TIME = 0.05  # s, low-pass of that sum
# s after a change of the place, in which the inertia of the body looks like contact forces
SETTLING_TIME = 0.3
# s, after which a repeat whose posts are not felt is given up; each further trial takes twice that
FIRST_TRIAL = 0.8
LONGEST_TRIAL = 3.2  # s, when the forces have risen to a quarter of those desired
STIFFNESS = 15.0  # N m/rad, so that pushing where no post stands moves the body little
DAMPING = 3.0  # N m s/rad, for the same
# s, low-pass of joint angles under that stiffness, which would turn their noise into forces
SMOOTHING_TIME = 0.02


class UnknownStart:
    """From no knowledge of the place to one that has been seen and, where repeats differ, felt.

    Attributes:
        place: path coordinate to start from, m; None while looking.
        on_trial: whether posts stand there as the map has them has still to be felt; the robot must
            not move on.
    """

    def __init__(
        self,
        path: PlannedPath,
        reference: ReferenceTable,
        robot: Robot,
        settings: StartSettings,
        period: float,
    ) -> None:
        """Tabulate the places of the path; takes a few tenths of a second. `period`: of the control
        ticks, s.
        """
        limits = (robot.joint.lower, robot.joint.upper)
        self._search = StartSearch(path, reference, limits, settings.tolerance)
        self._settings = settings
        self._period = period
        self._repeat = reference.span
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.place: float | None = None
        self._events: tuple[str, ...] = ()
        self._seen: list[Array] = []  # joint angles of samples in a row that agree
        self._last_s = np.inf
        self._misfits = 0  # samples in a row of which none fits
        self.on_trial = False
        self._rivals: list[float] = []
        self._shape = self._position = np.zeros(0)  # joint angles when found, and now, smoothed
        self._patience = FIRST_TRIAL
        self._felt = self._trial_time = 0.0

    def look(self, frame: SensorFrame) -> ControlOutput | None:
        """Take in one sample while standing still without torque; None as soon as `place` is
        known.
        """
        if self._rivals:
            self._begin(self._rivals.pop(0))
            return None
        heading = self._heading(frame)
        found = self._search.find(frame.position, heading)
        complaint = self._complaint(found, frame)
        self._misfits = self._misfits + 1 if complaint else 0
        self._seen = (
            [*self._seen, frame.position] if not complaint and self._near_last(found.s) else []
        )
        self._last_s = found.s
        if len(self._seen) >= self._settings.samples:
            self._shape = self._position = np.mean(self._seen, axis=0)
            found = self._search.find(self._shape, heading)
            self._seen, self._rivals, self.on_trial = (
                [],
                list(found.alternatives),
                bool(found.alternatives),
            )
            self._events += (
                f"start found at s = {found.s:.4f} m with confidence {found.confidence:.4f}",
            )
            self._begin(found.s)
            return None
        if self._misfits == self._settings.samples:
            self._events += (f"start refused: {complaint}",)
        debug = {
            "start_confidence": found.confidence,
            "start_residual_rad": found.residual,
            "start_candidate_m": found.s,
        }
        return ControlOutput(
            np.zeros(frame.position.size), events=self.take_events(), debug=debug, ready=False
        )

    def feel(self, forces: Array | None, torque_seen: bool) -> None:
        """Take in what the planned contacts feel (NaN: unknown), shape (nc,), N, while the robot
        takes hold of them.

        Puts `place` back to None where the posts stand otherwise; `look` then offers the next
        place. Only what is felt when torque has been seen confirms a place: whoever handles the
        robot before it is armed presses it somewhere.
        """
        if not self.on_trial:
            return
        self._trial_time += self._period
        if forces is not None and self._trial_time > SETTLING_TIME:
            self._felt += (
                self._period
                / (self._period + FILTER_TIME)
                * (float(np.nansum(forces)) - self._felt)
            )
        if self._felt > DECISION_FORCE:
            if torque_seen:
                self.on_trial, self._rivals = False, []
                self._events += ("start confirmed: posts felt where the map has them",)
        elif self._felt < -DECISION_FORCE or self._trial_time > self._patience:
            where = "felt on the other side" if self._felt < -DECISION_FORCE else "not felt"
            self._events += (f"start at s = {self.place:.4f} m refuted: posts {where}",)
            self.place = None
            self._patience = min(2 * self._patience, LONGEST_TRIAL)

    def let_go(self, frame: SensorFrame) -> None:
        """The torque was away, so nothing could be felt: the trial begins anew, in the shape that
        the robot has now.
        """
        self._felt, self._trial_time, self._patience = 0.0, 0.0, FIRST_TRIAL
        self._shape = self._position = frame.position

    def hold(self, frame: SensorFrame) -> Array | float:
        """Torques that keep the joints where they were found, while the place is on trial; (n -
        1,), N m.
        """
        if not self.on_trial:
            return 0.0
        self._position = self._position + self._period / (self._period + SMOOTHING_TIME) * (
            frame.position - self._position
        )
        torque: Array = STIFFNESS * (self._shape - self._position) - DAMPING * frame.velocity
        return torque

    def take_events(self) -> tuple[str, ...]:
        """What there is to tell since the last call."""
        told, self._events = self._events, ()
        return told

    def _begin(self, place: float) -> None:
        self.place, self._felt, self._trial_time = place, 0.0, 0.0
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

    def _complaint(self, found: Start, frame: SensorFrame) -> str | None:
        """Why the robot must not start from what was found."""
        settings = self._settings
        if found.residual > 2 * settings.tolerance and found.confidence < settings.confidence:
            return (
                f"no place on the path fits, the nearest shape is "
                f"{np.degrees(found.residual):.1f} deg off (rms over "
                f"the joints; start.tolerance is {np.degrees(settings.tolerance):.1f} deg); "
                f"lay the robot on its path"
            )
        if found.confidence < settings.confidence:
            return (
                f"the likeliest place, s = {found.s:.3f} m, has a confidence of "
                f"{found.confidence:.3f} only "
                f"(start.confidence is {settings.confidence}); lay the robot where the path "
                f"bends otherwise"
            )
        if found.alternatives and frame.joint_force is None:
            return (
                "repeats of the path with posts on other sides cannot be told apart without "
                "joint force sensors; "
                "give start.heading"
            )
        return None
