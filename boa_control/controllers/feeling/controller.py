# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Across posts on no map: the head feels its way, and the body follows it; once more, and faster,
on the trail that it has left.
"""

from itertools import chain, count

import numpy as np
from pydantic import Field

from boa_control.controller import Briefing, ControlOutput, SetPoint
from boa_control.controllers.base_estimate import BaseEstimate, BaseMotion, Source, base_of
from boa_control.controllers.feeling.haste import Haste
from boa_control.controllers.feeling.lead import Lead, RetraceSettings, Retracing, Seeking
from boa_control.controllers.feeling.retreat import Retreat, RetreatSettings
from boa_control.controllers.feeling.touch import Felt, Touches, TouchSettings
from boa_control.controllers.feeling.track import STEP, Track, laid
from boa_control.controllers.feeling.trail import Trail
from boa_control.controllers.feeling.way import BEFORE, Head, WaySettings
from boa_control.controllers.gait_limits import GaitLimits
from boa_control.controllers.link_speed import drive_share
from boa_control.controllers.pace import Pace
from boa_control.events import Event, EventKind
from boa_control.model.dynamics import PlanarChain
from boa_control.paths.corrected_map import CorrectedMap, CorrectedPost, Kind
from boa_control.paths.goals import Pursuit, require_course
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.floor import require_grip_across
from boa_description.robot import Metre, NewtonMetreSecond, Ratio, require_planar
from boa_description.scene import Circle

SOFT_JOINTS = 2  # at the head, which yield to what it meets
DECISIVE = 0.3  # N m, from which a command shows in what the motors measure, if it acts
MEASURED = 0.2  # share of a command, below which it does not
WITHHELD = 0.1  # s, from which the torque is away and not late
TrailPoint = tuple[float, float, float, float]


class Feeling:
    """Joints follow the track of the head, which is led on piece by piece (`Lead`).

        tau = share (k_p (phi(s) - phi) + k_d phi'(s) s') - k_d phi',

    with s' the speed at the pace of loaded joints, back after a touch, and more on a known trail;
    the share falls with fast links. Without torque (before the robot is armed, after ~/disarm) the
    track begins anew where the body lies.
    """

    class Parameters(GaitLimits):
        """Speed, gains and rules."""

        speed: float = Field(default=0.03, gt=0, le=1, description="of the head, m/s")
        trail: tuple[TrailPoint, ...] = Field(
            default=(), description="of an earlier run: x, y, heading, bend (m, rad, 1/m)"
        )
        fast: float = Field(default=0.07, gt=0, le=1, description="on the trail, m/s")
        # more of either shakes the body where torques act 30 ms late, as over a bus at 100 Hz
        kp: float = Field(default=8.0, ge=0, description="N m/rad")
        kd: NewtonMetreSecond = Field(default=0.3, ge=0)
        soft: Ratio = Field(default=0.5, ge=0, le=1, description="of kp, at the head")
        lookahead: Metre = Field(default=0.6, gt=0, description="in which it comes back to a line")
        way: WaySettings = WaySettings()
        retrace: RetraceSettings = RetraceSettings()
        touch: TouchSettings = TouchSettings()
        retreat: RetreatSettings = RetreatSettings()
        position: Source = "dead_reckoning"
        bandwidth: float = Field(
            default=4.0, gt=0, description="of corrections by the tracker, rad/s"
        )

    def __init__(self, briefing: Briefing, parameters: Parameters) -> None:
        """Raises BoaError for a robot that leaves the plane, a floor that does not grip across the
        links, a goal that is no guide, an unknown start, or a missing tracker.
        """
        robot, p = briefing.robot, parameters
        require_planar(robot, "controller feeling")
        require_grip_across(briefing.ground, "controller feeling")
        course = require_course(briefing.goal, "controller feeling")
        self._p = p
        self._speed = p.speed
        self._chain = PlanarChain(robot)
        self._pursuit = Pursuit(course, 0.0)  # its place errs, and the run ends before
        self._period = briefing.period
        self._body = robot.links * robot.link.pitch
        self._kp = np.full(robot.joints, p.kp)
        self._kp[-SOFT_JOINTS:] *= p.soft
        self._estimate = BaseEstimate(
            briefing, self._chain, p.position, p.bandwidth, "feeling", by_forces=True
        )
        obstacles = briefing.obstacles
        mapped = {k: post for k, post in enumerate(obstacles) if isinstance(post, Circle)}
        self._mapped, self._first_new = tuple(mapped), len(obstacles)
        known = [Felt(complex(post.x, post.y), post.std or 0.0, 0.0) for post in mapped.values()]
        self._touches = Touches(self._chain, robot.link.radius, p.touch, briefing.period, known)
        self._lead: Lead = Seeking(course.guide, p.lookahead, self._touches, p.way)
        if p.trail:
            x, y, heading, bend = np.array(p.trail).T
            trail = Trail(x + 1j * y, heading, bend)
            self._lead = Retracing(trail, self._touches, p.retrace, self._lead)
        self._haste = Haste(p.fast / p.speed, briefing.period)
        self._retreat = Retreat(p.retreat, briefing.period)
        self._pace = Pace(robot.limits.torque, p.joint_force, briefing.period)
        self.reset()

    def reset(self) -> None:
        """The next frame is the first of a new run."""
        self._estimate.reset()
        self._pursuit.reset()
        self._touches.reset()
        self._retreat.reset()
        self._pace.reset()
        self._track: Track | None = None
        self._s = 0.0
        self._lead.reset()
        self._haste.reset()
        self._known = False
        self._commanded = self._withheld = 0.0

    @property
    def set_point(self) -> SetPoint:
        """The speed of its head; it desires no forces."""
        return SetPoint(self._speed, 0.0, 0.0)

    def steer(self, set_point: SetPoint) -> None:
        """Take a speed; at 0 the joints are held where they are on the track.

        Raises:
            BoaError: a way back, or a force.
        """
        if set_point != SetPoint(abs(set_point.speed), 0.0, 0.0):
            raise BoaError(
                f"controller feeling: cannot follow {set_point}; it goes back by itself and "
                "regulates no force, so give a speed of 0 or more alone"
            )
        self._speed = set_point.speed

    def step(self, frame: SensorFrame) -> ControlOutput:
        """Torques for one frame."""
        p = self._p
        if self._track is None or self._powerless(frame):
            self._track, self._s = laid(frame.position, self._chain.pitch)
            self._retreat.reset()
        self._pace.update(frame)
        motion = self._estimate.update(frame)
        axes = self._chain.joint_axes(base_of(self._chain, motion), motion.posture)
        head = self._head(axes[-1], float(motion.posture.theta[-1]))
        finished = self._pursuit.update(motion.centre)
        felt = self._touches.update(frame, self._estimate.pushed, motion, axes)
        load = 0.0 if frame.joint_force is None else frame.joint_force.largest
        held = self._speed == 0.0 or self._pursuit.done
        turned = not held and self._retreat.update(self._s, head.tip, felt is not None, load)
        if turned and self._retreat.back:
            self._lead.turn_back(self._retreat.stands)
        if turned and self._retreat.stands:
            self._touches.suppose(head)
        speed = self._go(head, turned and not self._retreat.back)
        reference, rate = self._shape(speed)
        fast = p.speed_load(self._chain, motion) / self._haste.times
        share = drive_share(fast)
        error = reference - frame.position
        torque = share * self._kp * error + p.kd * (share * rate - frame.velocity)
        self._pace.record_command(torque, fast)
        self._commanded = float(np.abs(torque).max())
        return ControlOutput(
            torque,
            events=self._events(felt, turned, finished),
            debug=self._debug(motion, reference, head),
            corrected_map=self._map() if self._touches.news else None,
        )

    def _head(self, tip: Array, link: float) -> Head:
        """At a place (2,), m, by the heading of its link, rad, which lies on the chord of its piece
        of the track.
        """
        assert self._track is not None
        before = self._track.before(self._s, BEFORE)
        chord = float(before[-round(self._chain.pitch / STEP) :].mean())
        return Head(tip, link - chord, before)

    def _powerless(self, frame: SensorFrame) -> bool:
        """Whether what was commanded has not acted for longer than it can be late."""
        away = np.abs(frame.effort).max() < MEASURED * self._commanded
        self._withheld += self._period if self._commanded > DECISIVE and away else -self._withheld
        return self._withheld > WITHHELD

    def _go(self, head: Head, anew: bool) -> float:
        """Move along the track, and lead it on where it ends, or from here `anew`; its speed, m/s,
        negative where it goes back.
        """
        assert self._track is not None
        direction = 0.0 if self._pursuit.done else -1.0 if self._retreat.back else 1.0
        times = self._haste.update(self._s, self._known, self._retreat.back)
        speed = direction * self._pace.rate * times * self._speed
        self._s = max(self._s + speed * self._period, self._track.start + self._body + STEP)
        if anew or self._s > self._track.end - STEP:
            curvature, length, self._known = self._lead.next_piece(head)
            self._track = self._track.led_on(self._s, curvature, length + STEP, self._body)
        return speed

    def _shape(self, speed: float) -> tuple[Array, Array]:
        """Joint angles on the track, rad, and their rates at `speed`, m/s, in rad/s; shape (n - 1,)
        each.
        """
        assert self._track is not None
        links, pitch = self._chain.links, self._chain.pitch
        angles = self._track.angles(self._s, links, pitch)
        later = self._track.angles(self._s + STEP, links, pitch)
        return angles, (later - angles) / STEP * speed

    def _events(self, felt: Felt | None, turned: bool, finished: bool) -> tuple[Event, ...]:
        events = []
        if felt is not None:
            at = (felt.place.real, felt.place.imag)
            events.append(Event(kind=EventKind.UNMAPPED_POST, place=at))
        if turned:
            state = "back" if self._retreat.back else "on"
            events.append(Event(kind=EventKind.PHASE, state=state))
        if finished:
            events.append(Event(kind=EventKind.GUIDE_ENDED))
        return tuple(events)

    def _map(self) -> CorrectedMap:
        radius, first = self._p.touch.post_radius, self._first_new
        found = []
        numbers = chain(self._mapped, count(first))
        for number, post in zip(numbers, self._touches.posts, strict=False):
            touched: Kind = "touched" if post.force else "mapped"
            kind: Kind = "unexpected" if number >= first else touched
            at = post.place.real, post.place.imag
            found.append(CorrectedPost(number, *at, radius, post.std, kind))
        return CorrectedMap(tuple(found))

    def _debug(self, motion: BaseMotion, reference: Array, head: Head) -> dict[str, float | Array]:
        assert self._track is not None
        return {
            "reference_rad": reference,
            "pace": self._pace.rate,
            "position_m": motion.centre,
            "heading_rad": motion.heading,
            "offset_m": self._pursuit.offset,
            "going_back": float(self._retreat.back),
            "track_m": self._s,
            "head_m": head.tip,
            "head_rad": float(motion.posture.theta[-1]),
            "bend_per_m": self._track.bend(self._s),
            "link_force_n": np.abs(self._estimate.pushed),
        }
