# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a scenario writes the stretches of a way."""

from typing import Any, Self

from pydantic import Field, model_validator

from boa_control.controllers.relief import ReliefSettings
from boa_control.paths.goals import GoalSettings
from boa_control.paths.settings import SegmentPath
from boa_description.robot import Block, Metre, Second


class StretchSettings(Block):
    """A controller with what it follows: a path to its end, or a goal."""

    controller: str = Field(description="by name, as in `controller.name`")
    parameters: dict[str, Any] = Field(default_factory=dict, description="of that controller")
    relief: ReliefSettings | None = Field(default=None, description="as of `controller.relief`")
    path: SegmentPath | None = Field(
        default=None, description="that it follows; its posts are among those of the scene"
    )
    progress: Metre | None = Field(
        default=None,
        description="place of the middle joint on the path at its beginning; None: the whole robot "
        "is just on it",
    )
    goal: GoalSettings | None = Field(default=None, description="instead of a path")
    patience: Second | None = Field(
        default=None,
        gt=0,
        description="for which a law on a path may come no further before `otherwise`",
    )

    @model_validator(mode="after")
    def _one_aim(self) -> Self:
        if (self.path is None) == (self.goal is None):
            raise ValueError("a stretch has either a path or a goal")
        if self.goal is not None and self.patience is not None:
            raise ValueError("patience is for a stretch along a path; leave it out beside a goal")
        return self


class Parameters(Block):
    """The stretches of the way."""

    stretches: tuple[StretchSettings, ...] = Field(min_length=1, description="in turn")
    otherwise: StretchSettings | None = Field(
        default=None,
        description="takes over where a stretch comes no further, for the rest of the way",
    )

    @model_validator(mode="after")
    def _patience_has_an_end(self) -> Self:
        if self.otherwise is None and any(one.patience is not None for one in self.stretches):
            raise ValueError(
                "a stretch has patience, and nothing goes on where it is over; give otherwise, too"
            )
        if self.otherwise is not None and self.otherwise.patience is not None:
            raise ValueError("nothing comes after otherwise; leave its patience out")
        return self
