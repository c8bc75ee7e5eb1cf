# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How often, how fast and how well the planner crosses fields of posts from left to right."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from boa_control.experiments.datasheet import PLANNED_GAINS
from boa_control.experiments.planned import TravelSettings, planned_scenario
from boa_control.experiments.scenario import Scenario
from boa_control.experiments.scenario_set import Member, ScenarioSet
from boa_control.planning.find import find_route
from boa_control.planning.post_map import PostMap
from boa_control.planning.route import RouteSettings, Search
from boa_control.planning.search.region import Beyond
from boa_description.errors import BoaError
from boa_description.robot import Robot

OF_THE_PATH = ("path", "distance", "duration")  # of a planned scenario
CARRIED = ("speed", "force_floor")  # parameters that are less where the servos carry less
# sensors and servos as in the scenario boa_datasheet
DATASHEET: Mapping[str, Any] = {
    "plant": {"control_rate": 200, "effects": {"fidelity": "datasheet"}},
    "scene": {"contact": {"solref": [-40000, -220]}},
    "controller": {"parameters": dict(PLANNED_GAINS)},
}
FIELD, SEED = "field", "seed_"  # axis of a set, and what its labels begin with
EDGE = 0.45  # m from the left and the right edge, where paths begin and end


@dataclass(frozen=True, slots=True)
class Crossing:
    """One field.

    Attributes:
        posts: in the field.
        seconds: time of the processor until the first path was found and checked, or for all, s.
        search: its result.
    """

    posts: int
    seconds: float
    search: Search

    @property
    def text(self) -> str:
        """One line for people."""
        route = self.search.route
        if route is None:
            return f"{self.posts} posts, {self.seconds:.1f} s: {self.search.reason}"
        report = route.report
        return (
            f"{self.posts} posts, {self.seconds:.1f} s: {route.found.length:.2f} m, margin "
            f"{report.closure.margin.min():.2f}, closure {np.mean(report.closure.order == 1):.1%}, "
            f"preload {report.limits.preload.min():.1f} N, effective mass "
            f"{route.found.effective_mass:.0f} kg, post friction up to "
            f"{report.bearable.posts:.2f}"
        )


def cross(posts: PostMap, robot: Robot, settings: RouteSettings) -> Crossing:
    """Search a path across a field; better ones only for more friction. The time that the
    processor takes is limited, so that other programs do not change the result.
    """
    right = max(post.x for post in posts.posts) if posts.posts else 0.0
    left = min(post.x for post in posts.posts) if posts.posts else 0.0
    begin = time.process_time()
    search = find_route(
        posts.obstacles,
        robot,
        Beyond((-1.0, 0.0), -(left + EDGE)),
        [Beyond((1.0, 0.0), right - EDGE)],
        replace(settings, refine=0.0, helping=0.0, clock=time.process_time),
    )
    return Crossing(len(posts.posts), search.first or time.process_time() - begin, search)


def travel_set(
    name: str,
    crossings: Mapping[int, Crossing],
    robot: Robot,
    settings: TravelSettings,
    change: Mapping[str, Any] | None = None,
) -> tuple[Scenario, dict[str, Any]]:
    """A set of scenarios (docs/scenarios.md) that travels all found paths, and the one it is based
    on.

    The base has the parameters of the controller; members name those that their own path lowers,
    so that the set's `change` reaches all others.

    Args:
        crossings: by seed of the field; at least one of them found.
        change: in every member.
    """
    scenarios = {
        seed: planned_scenario(name, f"across the field of seed {seed}", route, robot, settings)
        for seed, crossing in crossings.items()
        if (route := crossing.search.route) is not None
    }
    first = next(iter(scenarios.values()))
    shared = dict(first.controller.parameters)
    for parameter in CARRIED:
        shared[parameter] = max(one.controller.parameters[parameter] for one in scenarios.values())
    changes = {f"{SEED}{seed}": _of_its_path(one, shared) for seed, one in scenarios.items()}
    controller = first.controller.model_copy(update={"parameters": shared})
    return first.model_copy(update={"controller": controller}), {
        "name": name,
        "summary": "planned paths across fields of posts",
        "set": {
            "base": f"./{name}_base.yaml",
            "change": dict(change or {}),
            "vary": {FIELD: changes},
        },
    }


def _of_its_path(scenario: Scenario, shared: Mapping[str, Any]) -> dict[str, Any]:
    """The change that makes a member from the base."""
    change = scenario.model_dump(mode="json", include=set(OF_THE_PATH))
    own = {
        name: value
        for name, value in scenario.controller.parameters.items()
        if value != shared[name]
    }
    # without the controller's name, which would replace the parameters that the set changes
    return change | {"controller": {"parameters": own}} if own else change


def planned_fields(chosen: ScenarioSet, members: Sequence[Member]) -> dict[int, Scenario]:
    """The scenarios of a set that `travel_set` made, by seed of their fields.

    Raises:
        BoaError: it is another set.
    """
    labels = [member.folder.removeprefix(SEED) for member in members]
    if list(chosen.set.vary) != [FIELD] or not all(map(str.isdecimal, labels)):
        raise BoaError(
            f"{chosen.name} is no set of planned fields as boa plan bench --out writes it; give "
            f"one, or a single scenario (boa run {chosen.name} --seeds A-B runs the set)"
        )
    return {int(label): one.scenario for label, one in zip(labels, members, strict=True)}


def summary(crossings: Sequence[Crossing]) -> str:
    """Number of paths, and times of those, in one line."""
    times = [one.seconds for one in crossings if one.search.route is not None]
    if not times:
        return f"0 of {len(crossings)} found"
    return (
        f"{len(times)} of {len(crossings)} found, {np.median(times):.1f} s median, "
        f"{max(times):.1f} s at most"
    )
