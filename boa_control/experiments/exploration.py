# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The two passes of an exploration of a simulated field: touch first, fast second.

In both all posts of the field stand, and the controller knows none of them but those of its map: at
first the few that hold the robot where it is laid down, then those that it has placed by touch.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from boa_control.controllers.new_path import NewPath
from boa_control.experiments.experiment import prepare
from boa_control.experiments.journey.exploring import leads_on
from boa_control.experiments.once_more import errors_of
from boa_control.experiments.planned import TravelSettings, planned_scenario, travel_parameters
from boa_control.experiments.scenario import Scenario
from boa_control.paths.corrected_map import CorrectedMap
from boa_control.planning.corrected import corrected_post_map
from boa_control.planning.find import find_route
from boa_control.planning.lying import last_place
from boa_control.planning.quest import Quest
from boa_control.planning.route import RouteSettings
from boa_control.planning.search.found import FoundPath
from boa_control.planning.search.region import Around
from boa_control.planning.search.search import Demands
from boa_description.errors import BoaError
from boa_description.robot import Robot
from boa_description.scene import Circle

LAID_DOWN = 2.6  # m from tail to head of the path on which the robot is laid down, at its end
NEAR = 0.35  # m, how near to these places
ASIDE = 0.0, 0.3, -0.3  # m beside them, tried in turn
SPEED, BLIND_SPEED = 0.06, 0.03  # m/s, of the first pass: where it has been, and where it has not
# where no post can be struck, a robot that has touched one need be no slower than on its way back
CAUTION = {"steering": {"slow_speed": 0.05}}
BACK = 1.2  # m that the robot may go back before it tries another way
SEARCH = 8.0  # s of the computer, for one search
RATE = 250.0  # Hz, of the first pass: it takes minutes
SLOWEST = 2.5e-3  # m/s, that a first pass comes on with on average before it is given up
# the posts among which it is laid down stand near each other: the head finds the next one sooner
DENSE = Demands(good_gap=0.2, gap_price=5.0)


def first_pass(
    name: str, field: Sequence[Circle], robot: Robot, start: Around, distance: float
) -> Scenario:
    """The robot, laid down among the posts of a field around `start`, or beside it, with its
    heading, explores `distance`, m, ahead of its head.

    Raises:
        BoaError: no posts there hold it, or its head finds no way to new ground from any place.
    """
    heading = start.heading or 0.0
    across = np.array([-np.sin(heading), np.cos(heading)])
    for aside in ASIDE:
        x, y = (np.array([start.x, start.y]) + aside * across).tolist()
        place = replace(start, x=x, y=y)
        scenario = _laid_down(name, field, robot, place, distance)
        if leads_on(prepare(scenario)):
            return scenario
    raise BoaError(
        f"explore: the posts that hold a robot at ({start.x:g}, {start.y:g}) and up to "
        f"{max(ASIDE):g} m beside it leave its head no way to new ground; choose another --from"
    )


def _laid_down(
    name: str, field: Sequence[Circle], robot: Robot, start: Around, distance: float
) -> Scenario:
    """The same from that place. Raises BoaError: no posts there hold the robot."""
    heading = start.heading or 0.0
    x = start.x + LAID_DOWN * float(np.cos(heading))
    y = start.y + LAID_DOWN * float(np.sin(heading))
    settings = RouteSettings(demands=DENSE, refine=0.0, helping=0.0)
    search = find_route(field, robot, start, [Around(x, y, NEAR)], settings)
    if search.route is None:
        raise BoaError(
            f"explore: no posts hold a robot that is laid down from ({start.x:g}, {start.y:g}) to "
            f"({x:.2f}, {y:.2f}): {search.reason}; choose another --from"
        )
    path = NewPath(path=search.route.settings, leaves=0, progress=0).with_contacts_only().path
    known = {(post.x, post.y) for post in path.posts}
    unknown = [post.model_dump() for post in field if (post.x, post.y) not in known]
    end = last_place(path, robot)
    _, parameters = travel_parameters(search.route, robot, TravelSettings(speed=SPEED))
    slowly = {**parameters, "blind_speed": BLIND_SPEED, "tuning": CAUTION}
    return Scenario.model_validate(
        {
            "name": name,
            "summary": f"{distance:g} m among posts that nobody knows, first pass",
            "path": path.model_dump(),
            "initial": {"progress": round(end - 0.02, 4)},
            "plant": {"control_rate": RATE},
            "disturbance": {"unmapped": {"posts": unknown}},
            "controller": {"name": "hoal", "parameters": slowly},
            "tour": {"explore": distance, "back": BACK, "seconds": SEARCH},
            "evaluation": {"settle": 4.0},
            "duration": round(distance / SLOWEST + 20.0, 1),
        }
    )


def second_pass(
    name: str,
    explored: CorrectedMap,
    way: FoundPath,
    field: Sequence[Circle],
    robot: Robot,
    speed: float,
) -> Scenario:
    """From where the first pass began, the `way` that it came, on the map that it made, at `speed`,
    m/s, or as fast as the servos allow.

    Raises:
        BoaError: the way does not pass the check of paths on that map.
    """
    posts = corrected_post_map(explored)
    here = Around(float(way.start[0]), float(way.start[1]), NEAR)
    quest = Quest(posts.obstacles, robot, here, [here], RouteSettings())
    route = quest.checked(way, 0.0)
    if route is None:
        raise BoaError(f"explore: no second pass: {quest.reason()}")
    settings = TravelSettings(speed=speed, map_error=posts.largest_std)
    summary = "the way that was explored, on the map by touch"
    scenario = planned_scenario(name, summary, route, robot, settings)
    numbered = [post for post in prepare(scenario).obstacles if isinstance(post, Circle)]
    data = scenario.model_dump(exclude_unset=True) | {"disturbance": errors_of(numbered, field)}
    return Scenario.model_validate(data)
