# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A controller of a run that plans its own way from target to target.

The search takes seconds of the computer and none of the run: it is made between two ticks. So this
is for simulations that wait; beside a robot a node of its own plans (`boa_control.ros`).
"""

import time
from dataclasses import replace
from typing import NamedTuple

from boa_control.controller import ControlOutput, Follower
from boa_control.controllers.following import FollowingController
from boa_control.controllers.new_path import NewPath
from boa_control.events import Event, EventKind
from boa_control.experiments.experiment import Experiment
from boa_control.experiments.journey.controller import Journey
from boa_control.experiments.journey.onward import Onward
from boa_control.experiments.journey.parts import JourneySettings, Plan, State
from boa_control.experiments.tour import Tour
from boa_control.messages.answers import Answer, Outcome, not_ready
from boa_control.plant import SensorFrame
from boa_control.safety.frame_guard import Reduction
from boa_description.errors import BoaError


class Made(NamedTuple):
    """A request that was done or refused at once."""

    answer: Answer


class Searched(NamedTuple):
    """A search that has ended; see `Search`."""

    found: Onward | None
    reason: str
    to_go: float = float("nan")
    running: bool = False

    def cancel(self) -> None:
        """Nothing is under way."""


def settings_of(tour: Tour) -> JourneySettings:
    """How a run pursues the goals of its tour."""
    return JourneySettings(
        seconds=tour.seconds,
        radius=tour.radius,
        back=tour.back,
        follow=True,
        # how long a search takes on a busy machine must not count: no run would be like another
        refine=0.0,
        clock=time.process_time,
    )


class TouringController(FollowingController):
    """The following controller of a scenario with a tour. It holds its posts at first; then it goes
    to one target after the other. Implements the `Surroundings` of its journey.
    """

    def __init__(
        self,
        controller: Follower,
        experiment: Experiment,
        tour: Tour,
        reduction: Reduction | None = None,
    ) -> None:
        """Prepare it. `reduction` of the torques; None: they stay.

        Raises:
            BoaError: the scenario's path is of a kind that no search can go on from; or a target
                is inside a post, or near none; or there is neither a target nor an end.
        """
        self._tour = tour
        self.settings = settings_of(tour)
        self._now = 0.0
        self._new: NewPath | None = None
        self._begun = self._over = False
        self.journey = self._make_journey(experiment)
        super().__init__(
            controller,
            experiment.robot,
            experiment.obstacles,
            experiment.scenario.set_points,
            reduction=reduction,
        )
        self.journey.require_sensible(self.journey.goals_of(tour))

    def _make_journey(self, experiment: Experiment) -> Journey:
        """Which pursues the targets."""
        return Journey(experiment, self, experiment.obstacles)

    def reset(self) -> None:
        """Forget everything; the next step starts a new run."""
        super().reset()
        self._begun = self._over = False
        self._new = None
        self.journey.restarted()
        self._changes.clear()

    def step(self, frame: SensorFrame) -> ControlOutput:
        """The controller's answer; what the journey does acts from the next step on."""
        if not self._begun:
            self.steer(replace(self.set_point, speed=0.0))
        output = super().step(frame)
        self._now = frame.stamp_ns * 1e-9
        journey = self.journey
        for event in output.events:
            journey.event(event)
        if output.corrected_map is not None:
            journey.corrected(output.corrected_map)
        debug = {name: float(output.debug[name]) for name in MOTION if name in output.debug}
        if len(debug) == len(MOTION):
            journey.motion(*debug.values())
        if not self._begun and not self.unrest:
            self._begun = True
            journey.visit(self._tour)
        journey.work()
        if self._begun and journey.state is State.IDLE and not self._over:
            self._over = True
            self._changes.append(Event(kind=EventKind.TOUR_OVER))
        return output

    # the surroundings of the journey

    def time(self) -> float:
        """Of the run, s."""
        return self._now

    def stop(self) -> Made:
        """Stop, with the next step."""
        self.steer(replace(self.set_point, speed=0.0))
        return Made(Answer(Outcome.DONE, "stopped"))

    def search(self, plan: Plan) -> Searched:
        """Search here and now."""
        try:
            return Searched(plan(lambda _: None), "")
        except BoaError as error:
            return Searched(None, str(error))

    def publish(self, new: NewPath) -> None:
        """Keep it for the departure."""
        self._new = new

    def say(self, line: str) -> None:
        """An event of the next step."""
        state = self.journey.state.name.lower()
        self._changes.append(Event(kind=EventKind.TOUR, state=state, note=line))

    def arrived(self) -> None:
        """The same."""
        self._changes.append(Event(kind=EventKind.TOUR_ARRIVED))

    def depart(self) -> Made:
        """Go over to the new path."""
        assert self._new is not None
        if self.unrest:
            return Made(not_ready(self.unrest))
        try:
            return Made(Answer(Outcome.DONE, self.follow(self._new)))
        except BoaError as error:
            return Made(Answer(Outcome.REFUSED, str(error)))


MOTION = ("progress_m", "speed_reference_mps", "progress_rate_mps")
