# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A scenario: robot, path, scene, controller, plant settings and how the run is judged.

One YAML file each.
"""

import math
import re
from itertools import pairwise
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from boa_control.controllers.new_path import PathChange
from boa_control.controllers.relief import ReliefSettings
from boa_control.controllers.set_points import SetPointChange
from boa_control.experiments.disturbance import Disturbance
from boa_control.experiments.stop import StopSettings
from boa_control.experiments.tour import Tour
from boa_control.paths.goals import GoalSettings, LineGoal
from boa_control.paths.settings import PathSettings
from boa_description.errors import BoaError
from boa_description.gearbox import NONE
from boa_description.robot import Block, Hertz, Metre, Radian, Ratio, Robot, Second
from boa_description.scene import Scene


class RobotChoice(Block):
    """A robot by name, or `boa13` with another number of links or pitch, or with single values
    replaced.
    """

    name: str = Field(default="boa13", description="a shipped robot, or a YAML file")
    links: int | None = Field(default=None, ge=2, le=100, description="another number of them")
    pitch: Metre | None = Field(
        default=None, gt=0, description="another distance between neighbouring joint axes"
    )
    override: dict[str, Any] = Field(
        default_factory=dict, description="e.g. {limits: {torque: 5.0}}, SI"
    )


class InitialState(Block):
    """Where the run starts: on the path at `progress` (of the reference joint), or a given pose, m
    and rad.
    """

    progress: Metre | None = Field(
        default=None, description="place of the middle joint along the path"
    )
    base: tuple[float, float, float] | None = Field(
        default=None, description="x, y of the tail-side end of link 1 (joint axis line), heading"
    )
    joints: tuple[float, ...] | None = Field(default=None, description="joint angles, rad")
    roll: Radian = Field(
        default=0.0, description="of link 1 about its own axis, for robots that leave the plane"
    )

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.joints is not None and self.base is None:
            raise ValueError("joints need base: [x, y, heading]")
        return self


class GearboxEffect(Block):
    """Friction and backlash of the gearboxes that act.

    What is left out is that of the robot, `actuator.gearbox`; a model that is named here comes
    without backlash. A name alone may stand for the block, true for the robot's own gearbox with
    its backlash, false for none.
    """

    model: str | None = Field(
        default=None,
        description="none, coulomb, a shipped gearbox such as g20, or a YAML file; None: the "
        "robot's",
    )
    backlash: Radian | None = Field(default=None, ge=0, le=0.2, description="at the joint")
    spread: Ratio = Field(
        default=0.0, ge=0, lt=1, description="losses of every joint off by up to this share"
    )
    calibration_spread: Ratio = Field(
        default=0.0, ge=0, le=0.5, description="torque per current of every joint, likewise"
    )

    @model_validator(mode="before")
    @classmethod
    def _by_name(cls, given: Any) -> Any:
        if isinstance(given, bool):
            return {} if given else {"model": NONE}
        return {"model": given} if isinstance(given, str) else given


class Effects(Block):
    """Sensor and actuator effects.

    `fidelity` sets them all; a single one given here wins over it.
    """

    fidelity: Literal["ideal", "datasheet"] = Field(
        default="ideal", description="all effects off, or all on"
    )
    encoder_quantisation: bool | None = Field(default=None, description="4096 per turn")
    velocity_quantisation: bool | None = Field(default=None, description="counts of 0.229 rpm")
    current_quantisation: bool | None = Field(default=None, description="counts of the servo")
    torque_speed_line: bool | None = Field(default=None, description="no torque at no-load speed")
    current_limit: bool | None = Field(default=None, description="actuator.current_limit")
    current_loop: bool | None = Field(default=None, description="actuator.current_lag")
    gearbox: GearboxEffect | None = Field(
        default=None, description="friction and backlash of the gearboxes"
    )
    motor_heating: bool | None = Field(default=None, description="copper loss heats the windings")
    force_range: bool | None = Field(default=None, description="saturate at their range")
    force_noise: bool | None = Field(default=None, description="white noise per axis and sample")
    force_quantisation: bool | None = Field(default=None, description="counts of the wire format")
    force_crosstalk: bool | None = Field(default=None, description="of every axis on the others")
    force_drift: bool | None = Field(default=None, description="random walk of the zero")
    imu_noise: bool | None = Field(default=None, description="white, of rate and acceleration")
    imu_quantisation: bool | None = Field(default=None, description="counts of the BNO055")
    imu_drift: bool | None = Field(default=None, description="random walk of the yaw")
    sensor_rate: bool | None = Field(
        default=None, description="forces and IMU at their own rate, not every tick"
    )
    sensor_latency: bool | None = Field(default=None, description="late, stamped as taken")
    tracker_noise: bool | None = Field(default=None, description="white noise on the tracked pose")

    def on(self, effect: str) -> bool:
        """Whether `effect` (a field name) acts."""
        chosen = getattr(self, effect)
        return self.fidelity == "datasheet" if chosen is None else bool(chosen)

    @property
    def gears(self) -> GearboxEffect:
        """Friction and backlash that act: as given, else the friction as `fidelity` says."""
        if self.gearbox is not None:
            return self.gearbox
        return GearboxEffect(model=None if self.fidelity == "datasheet" else NONE, backlash=0.0)


class TrackerSettings(Block):
    """A camera or motion-capture system that tells the pose of one link."""

    link: str | None = Field(default=None, description="e.g. link_07; None: the middle one")
    rate: Hertz = Field(default=100.0, gt=0, le=2000)
    latency: Second = Field(default=0.0, ge=0, le=2)
    noise: Metre = Field(default=0.002, ge=0, description="standard deviation of x and of y")
    heading_noise: Radian = Field(default=0.005, ge=0, description="standard deviation")
    lost: tuple[tuple[Second, Second], ...] = Field(
        default=(), description="times from and to which the link is not seen"
    )

    @model_validator(mode="after")
    def _lost_forwards(self) -> Self:
        for begin, end in self.lost:
            if end <= begin:
                raise ValueError(
                    f"lost: [{begin:g}, {end:g}] ends before it has begun; give [from, to]"
                )
        return self

    def index(self, robot: Robot) -> int:
        """Index of the tracked link, from 0 at the tail.

        Raises:
            BoaError: the robot has no link of that name.
        """
        if self.link is None:
            return robot.links // 2
        if self.link not in robot.link_names:
            raise BoaError(
                f"plant.tracker.link: robot {robot.name} has no '{self.link}'; its links are "
                f"{robot.link_names[0]} to {robot.link_names[-1]}"
            )
        return robot.link_names.index(self.link)


class PlantSettings(Block):
    """Rates of the plant and what of the real hardware is modelled."""

    engine: str = Field(default="mujoco", description="physics engine of the simulated plant")
    control_rate: Hertz = Field(default=500.0, gt=0, le=2000, description="of plant and controller")
    physics_step: Second = Field(default=0.001, gt=0, le=0.01, description="of the simulation")
    effects: Effects = Field(default=Effects(), description="of the real hardware, that act")
    tracker: TrackerSettings | None = Field(
        default=None, description="what tells the robot's place; None: nothing does"
    )

    @model_validator(mode="after")
    def _whole_steps(self) -> Self:
        steps = 1.0 / (self.control_rate * self.physics_step)
        if abs(steps - round(steps)) > 1e-6 or round(steps) < 1:
            raise ValueError(
                f"control period must be a whole number of physics steps: {steps:.3f} steps of "
                f"{self.physics_step} s at {self.control_rate} Hz; choose another control_rate, or "
                f"physics_step: {1.0 / (self.control_rate * max(1, math.ceil(steps))):.9g}"
            )
        return self

    @property
    def substeps(self) -> int:
        """Physics steps per control tick."""
        return round(1.0 / (self.control_rate * self.physics_step))


class ControllerChoice(Block):
    """Which controller, with its own parameters (validated by that controller's `Parameters`)."""

    name: str = Field(description="a shipped or installed controller, or ./file.py:Class")
    parameters: dict[str, Any] = Field(default_factory=dict, description="of that controller")
    relief: ReliefSettings | None = Field(
        default=None, description="of loaded joints: cuts the torques of any controller"
    )


class Evaluation(Block):
    """How the run is judged."""

    settle: Second = Field(default=0.5, ge=0, description="start-up that does not count")
    closure: Literal["first_order", "contacts"] = Field(
        default="first_order", description="form closure, or a number of contacts"
    )
    required_contacts: int | None = Field(default=None, ge=1, description="for closure: contacts")
    force_reference: float | None = Field(
        default=None, description="desired uniform contact force, N"
    )
    stalled: Second | None = Field(
        default=None, gt=0, description="end after so long without 0.05 m of travel"
    )
    stop: StopSettings = Field(default=StopSettings(), description="limits that end it as failed")
    heading: Radian | None = Field(
        default=None, description="direction in which the way of the robot counts as advance"
    )

    @model_validator(mode="after")
    def _contacts_counted(self) -> Self:
        if (self.closure == "contacts") != (self.required_contacts is not None):
            raise ValueError(
                "closure: contacts and required_contacts (how many hold the robot) go together"
            )
        return self


def _as_name(name: str) -> str:
    """A name, of which folders and files are made."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.+ -]{0,99}", name):
        raise ValueError(
            f"'{name[:40]}' is no name: folders are called so; take letters, digits, '_', '-', "
            "'.', '+' and spaces, at most 100, a letter or digit first"
        )
    return name


Name = Annotated[str, AfterValidator(_as_name)]


class Scenario(Block):
    """One experiment."""

    name: Name = Field(description="of results and lists")
    summary: str = Field(description="one line for lists")
    robot: RobotChoice = Field(default=RobotChoice(), description="which robot")
    path: PathSettings | None = Field(
        default=None, description="what the robot follows, with its posts"
    )
    goal: GoalSettings | None = Field(
        default=None,
        description="where to go without a plan; a path beside it only says where the robot lies "
        "at the start, and which posts there are",
    )
    scene: Scene = Field(default=Scene(), description="further obstacles, floor, contacts")
    initial: InitialState = Field(default=InitialState(), description="where the run starts")
    plant: PlantSettings = Field(default=PlantSettings(), description="simulation and rates")
    disturbance: Disturbance = Field(
        default=Disturbance(), description="what the controller is not told"
    )
    controller: ControllerChoice = Field(description="what commands the torques")
    set_points: tuple[SetPointChange, ...] = Field(
        default=(), description="changes of the controller's set-point while it runs"
    )
    path_changes: tuple[PathChange, ...] = Field(
        default=(), description="paths to which the robot goes over in turn, each while it stands"
    )
    tour: Tour | None = Field(
        default=None, description="targets, to which the robot plans its way as it goes"
    )
    evaluation: Evaluation = Field(default=Evaluation(), description="how the run is judged")
    duration: Second = Field(gt=0, description="the run ends after this time")
    distance: Metre | None = Field(
        default=None, gt=0, description="the run is complete after this progress"
    )

    @property
    def has_goal(self) -> bool:
        """Whether it wants the robot to get somewhere; else a run is completed by its time."""
        endless = isinstance(self.goal, LineGoal) and self.goal.length is None
        aim = self.goal is not None and not endless
        return aim or self.tour is not None or self.distance is not None

    @model_validator(mode="after")
    def _start_given(self) -> Self:
        if self.path is None and self.initial.base is None:
            raise ValueError(
                "a scenario without a path needs initial: {base: [x, y, heading], joints: [...]}"
            )
        return self

    @model_validator(mode="after")
    def _one_aim(self) -> Self:
        if self.goal is not None and self.distance is not None:
            raise ValueError("distance is along a path, not to a goal; leave out goal or distance")
        return self

    @model_validator(mode="after")
    def _one_plan(self) -> Self:
        if self.tour is not None and (self.path_changes or self.distance is not None):
            other = "path_changes" if self.path_changes else "distance"
            raise ValueError(f"a tour plans its paths and ends by itself; leave out {other}")
        return self

    @model_validator(mode="after")
    def _set_points_in_order(self) -> Self:
        times = [change.time for change in self.set_points]
        if any(later <= earlier for earlier, later in pairwise(times)):
            raise ValueError(
                f"set_points must come in order of time, one per time; their times are {times}"
            )
        return self
