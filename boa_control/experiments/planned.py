# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A scenario that travels a planned route, and how long `hoal` needs for its way, at the speeds
that it plans there.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.tables import make_tables
from boa_control.experiments.build import briefing
from boa_control.experiments.datasheet import IDEAL_GAINS
from boa_control.experiments.experiment import prepare
from boa_control.experiments.scenario import Scenario
from boa_control.model.reference import ReferenceTable
from boa_control.paths.construct import build_path
from boa_control.planning.lying import progress_of
from boa_control.planning.route import Route
from boa_description.errors import BoaError
from boa_description.robot import Robot
from boa_description.scene import SMOOTH, Box, GroundFriction, Wall

SPEED = 0.1  # m/s
# m/s, where posts may stand elsewhere: a body that slides off the shape of its path is noticed and
# braked in time, and the map is corrected before the next post
SPEED_UNSURE = 0.06
# the scenario's duration as a multiple of the time at full speed; where posts may stand elsewhere
# the robot slows down before each: among posts 40 mm off it makes 31 mm/s of 100 on average
SLACK, SLACK_UNSURE = 1.5, 4.0
STOP = 0.05  # m before the end of the path, where the run has arrived
FORCE = 5.0  # N, desired on every contact
# N, where posts may stand elsewhere: their balance is not that of the map, and a contact that the
# model gives little loses its post; for the same reason the floor is kept as it is
FORCE_UNSURE = 8.0
FLOOR = 2.0  # N, desired at least on every contact, where the servos carry it
# of which so much is kept in any case: posts of a field carry unequal forces, and those at their
# least answer no error of the shape
FLOOR_SHARE = 0.25
SLOWEST = 1e-3  # m/s
CARRIED = 0.9  # share of what the servos carry that the scenario demands
JOINT_SHARE = 0.7  # of a joint force that is a fault, up to which posts elsewhere are pressed
START_UP = 10.0  # s, to take hold of the posts
SETTLE = 4.0  # s of it that are not judged, as in other scenarios of hoal


def timed(scenario: Scenario) -> Scenario:
    """The scenario with a duration in which its controller can come to its distance: where forces
    or servos allow less than the desired speed, it takes longer.

    Raises:
        BoaError: `hoal` refuses its path, or cannot move on it.
    """
    error = Parameters.model_validate(scenario.controller.parameters).map_error
    duration = allowed_time(travel_time(scenario), error)
    return scenario.model_copy(update={"duration": duration})


def allowed_time(planned: float, map_error: float) -> float:
    """In which a way ends that is planned to take so long, s; `map_error` as of `hoal`, m."""
    return round((SLACK_UNSURE if map_error > 0 else SLACK) * planned + START_UP, 1)


def travel_time(scenario: Scenario) -> float:
    """From the start to the distance of a scenario of `hoal`, as planned, s; without taking hold of
    the posts, and without anything that holds the robot up.

    Raises:
        BoaError: as `timed`.
    """
    experiment = prepare(scenario)
    start, distance, period = (
        experiment.start_progress,
        scenario.distance,
        experiment.control_period,
    )
    if start is None or distance is None:
        raise BoaError(f"scenario {scenario.name}: has no path and distance to travel")
    parameters = Parameters.model_validate(scenario.controller.parameters)
    speed = make_tables(briefing(experiment), parameters).speed_reference(parameters, period)
    s, time, latest = start, 0.0, distance / SLOWEST
    while s < start + distance:
        speed.advance(s)
        s += period * speed.speed
        time += period
        if time > latest:
            raise BoaError(
                f"scenario {scenario.name}: its posts and servos hold the robot at s = {s:.2f} m; "
                "plan another path, or ask for less force"
            )
    return time


@dataclass(frozen=True, slots=True)
class TravelSettings:
    """How a route is travelled.

    Attributes:
        robot: name, or YAML file, as scenarios name it.
        speed: m/s; less where the servos carry less. None: as fast as the map allows.
        map_error: standard deviation of the posts' places, m; 0: exact.
        posts_off: by which every simulated post stands off the map, and the robot at the start, m.
        blocks: walls and boxes.
        ground, contact_friction: of floor and posts.
    """

    robot: str = "boa13"
    speed: float | None = None
    map_error: float = 0.0
    posts_off: float = 0.0
    blocks: Sequence[Box | Wall] = ()
    ground: GroundFriction = SMOOTH
    contact_friction: float = 0.0

    @property
    def full_speed(self) -> float:
        """`speed`, or what the map allows, m/s."""
        if self.speed is not None:
            return self.speed
        return SPEED_UNSURE if self.map_error > 0 else SPEED


def planned_scenario(
    name: str, summary: str, route: Route, robot: Robot, settings: TravelSettings
) -> Scenario:
    """A scenario that travels the whole route, from where the robot lies; a lap once around.

    A route of a robot that lies on a path already is travelled from where it leaves that path.

    Raises:
        BoaError: the servos carry no speed that makes sense.
    """
    speed, parameters = travel_parameters(route, robot, settings)
    initial, distance = _way(route, robot)
    off = settings.posts_off
    disturbance = {"obstacle_offset": off, "initial_head_error": off} if off > 0 else {}
    return Scenario.model_validate(
        {
            "name": name,
            "summary": summary,
            "robot": {"name": settings.robot},
            "path": route.settings.model_dump(),
            "scene": {
                "obstacles": [block.model_dump() for block in settings.blocks],
                "ground": settings.ground.model_dump(),
                "contact": {"friction": settings.contact_friction},
            },
            "initial": initial,
            "disturbance": disturbance,
            "controller": {"name": "hoal", "parameters": parameters},
            "evaluation": {"settle": SETTLE},
            "distance": round(distance, 3),
            "duration": allowed_time(distance / speed, settings.map_error),
        }
    )


def travel_parameters(
    route: Route, robot: Robot, settings: TravelSettings
) -> tuple[float, dict[str, float]]:
    """Speed, m/s, and parameters of the controller. Raises BoaError: no speed that makes sense."""
    limits = route.report.limits
    speed = min(settings.full_speed, CARRIED * float(limits.speed.min()))
    if speed < SLOWEST:
        raise BoaError(
            f"the path can be travelled at {speed:.2g} m/s only, at least {SLOWEST} m/s makes "
            "sense; ask for more speed, or for another path"
        )
    floor = min(FLOOR, CARRIED * float(limits.preload.min()))
    parameters = {
        "speed": float(f"{speed:.3g}"),
        "force": FORCE,
        "force_floor": float(f"{floor:.3g}"),
        "floor_share": FLOOR_SHARE,
    }
    if settings.map_error > 0:
        parameters["map_error"] = settings.map_error
        parameters["force"], parameters["floor_share"] = FORCE_UNSURE, 1.0
        parameters["joint_force"] = JOINT_SHARE * robot.limits.joint_force_fault
    else:
        parameters |= IDEAL_GAINS
    return speed, parameters


def _way(route: Route, robot: Robot) -> tuple[dict[str, float], float]:
    """Initial state, where the tail does not lie at the beginning, and how far the run goes, m."""
    curve = build_path(route.settings, robot).curve
    initial: dict[str, float] = {}
    begin = (robot.links // 2 + 1) * robot.link.pitch
    if route.branch is not None:
        begin = progress_of(route.settings, robot, route.branch)
        initial["progress"] = round(begin, 4)
    if curve.closed:
        return initial, curve.length
    end = ReferenceTable(curve, robot.links, robot.link.pitch).extent[1]
    return initial, end - begin - STOP
