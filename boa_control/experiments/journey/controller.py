# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A journey on a map that may be wrong: what leads to another way while the robot travels.

Where a post is not there, or the controller stops after other news of the map, a path from where
the robot then lies is searched; without news it tries the same path once more.
"""

import math
from collections.abc import Sequence

from boa_control.controllers.new_path import NewPath, read_new_path
from boa_control.event_text import text_of
from boa_control.events import Event, EventKind, SupervisionState
from boa_control.experiments.journey.parts import State
from boa_control.experiments.journey.phases import Idle, Travelling
from boa_control.experiments.journey.planned_journey import PlannedJourney
from boa_control.experiments.journey.pursuit import Change
from boa_control.paths.corrected_map import CorrectedMap
from boa_description.scene import Obstacle

HALT_TIME = 5.0  # s in which a controller that has stopped may go on by itself
TRIED_WAY = 0.2  # m, within which there is no third try


class Journey(PlannedJourney):
    """Pursues goals one after the other, and plans again where the map turns out to be wrong."""

    def _begin_anew(self) -> None:
        super()._begin_anew()
        self._tried = math.nan  # where on the present path it was sent once more, m

    def take_map(self, obstacles: Sequence[Obstacle]) -> None:
        """A map, instead of what was believed before. Raises BoaError as that of the base."""
        super().take_map(obstacles)
        self._use_news()

    def corrected(self, posts: CorrectedMap) -> None:
        """The robot has news of the map; it may come only after the robot has stopped for it."""
        if self.world is not None:
            self.world.correct(posts)
        self._use_news()

    def event(self, event: Event) -> None:
        """An event of the controller."""
        match event.kind:
            case EventKind.NEW_PATH:
                self._take(read_new_path(event.record or ""))
            case EventKind.POST_ABSENT:
                self._missed(event)
            case EventKind.NEW_PATH_REFUSED:
                self._refused(event)
            case EventKind.SUPERVISION:
                self._supervised(event)

    def restarted(self) -> None:
        """The robot lies where the scenario begins, and knows nothing."""
        self.close()
        self.pursuit.change(Change.FAIL, "the run has begun anew")
        self._begin_anew()
        if self._given is not None:
            self.take_map(self._given)
        self._around.say("the run begins anew; waits for a goal")

    def _missed(self, event: Event) -> None:
        """A post is not there. Whether the others hold the robot all along nobody has checked."""
        if self.world is None or event.post is None:
            return
        self.world.remove(event.post)
        news = self.world.version != self._version  # perhaps by the corrected map already
        if news and self.state is State.TRAVELLING and self._around.settings.replan:
            self._plan_again(event)

    def _refused(self, event: Event) -> None:
        """The controller does not get to where the path begins."""
        self._give_up(text_of(event))

    def _supervised(self, event: Event) -> None:
        """How far the controller trusts the map that it travels by."""
        phase, lost = self._phase, event.state == SupervisionState.LOST
        if not isinstance(phase, Travelling):
            if lost and not isinstance(phase, Idle):
                self._lost(event)
        elif lost or event.state == SupervisionState.STOPPED:
            self._halted(phase, event)
        else:  # it goes on by itself
            phase.halt = None

    def _use_news(self) -> None:
        """The map may have changed while the controller goes no further."""
        phase = self._phase
        if isinstance(phase, Travelling) and phase.halt is not None:
            self._halted(phase, phase.halt)

    def _halted(self, phase: Travelling, event: Event) -> None:
        """The controller goes no further. Only a map that has changed leads elsewhere, and only a
        robot that is held.
        """
        assert self.world is not None
        lost = event.state == SupervisionState.LOST
        if lost or self.world.version == self._version:
            if phase.halt is None:
                phase.halted_at = self._around.time()
            phase.halt = event  # it may go on by itself
            return
        self._plan_again(event)

    def _lost(self, event: Event) -> None:
        self._give_up(f"{text_of(event)}; free the robot and start again")

    def _try_again(self, phase: Travelling, halt: Event) -> None:
        """Nothing is known that would lead elsewhere: once more, slowly, from further back."""
        progress = self.where.progress
        if not self._around.settings.replan or abs(progress - self._tried) < TRIED_WAY:
            self._give_up(f"{text_of(halt)}; the robot holds where it is")
            return
        self.pursuit.recoveries += 1
        self._around.say(f"tries again: {text_of(halt)}")
        self._tried = progress
        self._set_out_on(self._ways.once_more(self.where, phase.onward.new.speed))

    def _plan_again(self, event: Event) -> None:
        text = text_of(event)
        if self._around.settings.replan:
            self.pursuit.recoveries += 1
            self._begin(f"plans again with the corrected map: {text}")
        else:
            self._give_up(f"{text}; the map is corrected, set a goal to go on")

    def _take(self, new: NewPath) -> None:
        before = self.where.path
        super()._take(new)
        if self.where.path != before:
            self._tried = math.nan

    def _await_arrival(self, phase: Travelling) -> None:
        halt = phase.halt
        if halt is None or self._around.time() < phase.halted_at + HALT_TIME:
            super()._await_arrival(phase)
        elif halt.state == SupervisionState.LOST:
            self._lost(halt)
        elif self._taken and self.where.stands:
            self._try_again(phase, halt)
