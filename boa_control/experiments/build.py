# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The controller of an experiment: what it is told, and how it is made."""

from dataclasses import replace

from boa_control.controller import Briefing, is_follower, is_steerable
from boa_control.controllers import make_controller
from boa_control.controllers.following import FollowingController
from boa_control.controllers.relief import Relief
from boa_control.controllers.steered import SteeredController
from boa_control.experiments.experiment import Experiment
from boa_control.safety.frame_guard import FrameGuard
from boa_description.errors import BoaError
from boa_description.robot import Robot


def briefing(experiment: Experiment) -> Briefing:
    """All that the controller of this experiment is told."""
    scenario = experiment.scenario
    hidden = scenario.disturbance.unknown_start
    tracker = scenario.plant.tracker
    return Briefing(
        robot=_believed(experiment),
        obstacles=experiment.obstacles,
        path=experiment.path,
        period=experiment.control_period,
        start_base=None if hidden else experiment.start_base,
        start_joints=None if hidden else experiment.start_joints,
        start_progress=None if hidden else experiment.start_progress,
        ground=scenario.scene.ground.scaled(1 + scenario.disturbance.ground_friction_error),
        contact_friction=scenario.scene.contact.friction
        * (1 + scenario.disturbance.contact_friction_error),
        goal=experiment.goal,
        tracked_link=None if tracker is None else tracker.index(experiment.robot),
    )


def _believed(experiment: Experiment) -> Robot:
    """The robot with the gearbox that the scenario names; how single ones differ stays hidden."""
    robot, model = experiment.robot, experiment.scenario.plant.effects.gears.model
    return robot if model is None else robot.with_gearbox(model)


def build_controller(experiment: Experiment) -> FrameGuard:
    """Make the scenario's controller, guarded against frames that lack a joint. Where it takes
    set-points and new paths, it gets those of the scenario at their times.

    Raises:
        BoaError: unknown controller, or wrong parameters, set-points or new paths for it.
    """
    scenario, names = experiment.scenario, experiment.robot.joint_names
    choice = scenario.controller
    controller = make_controller(choice.name, choice.parameters, briefing(experiment))
    relief = relief_of(experiment)
    if is_follower(controller):
        if scenario.tour is not None:
            from boa_control.experiments.journey.exploring import ExploringController
            from boa_control.experiments.journey.touring import TouringController

            kind = TouringController if scenario.tour.explore is None else ExploringController
            return kind(controller, experiment, scenario.tour, relief)
        return FollowingController(
            controller,
            experiment.robot,
            experiment.obstacles,
            scenario.set_points,
            scenario.path_changes,
            relief,
        )
    if scenario.path_changes or scenario.tour is not None:
        needless = "path_changes" if scenario.path_changes else "tour"
        raise BoaError(
            f"scenario {scenario.name}: controller {choice.name} cannot go over to another path; "
            f"leave out {needless}, or choose hoal"
        )
    if is_steerable(controller):
        return SteeredController(controller, names, scenario.set_points, relief)
    if scenario.set_points:
        raise BoaError(
            f"scenario {scenario.name}: controller {choice.name} takes no set-points while it "
            f"runs; leave out set_points, or choose a controller that can be steered"
        )
    return FrameGuard(controller, names, relief)


def relief_of(experiment: Experiment) -> Relief | None:
    """What takes torques away where joints are loaded; None where the scenario has no such."""
    settings, robot = experiment.scenario.controller.relief, experiment.robot
    if settings is None:
        return None
    return Relief(settings, robot.joints, robot.limits.torque, experiment.control_period)


def without_tour(experiment: Experiment) -> Experiment:
    """The same experiment for a controller that does not plan; another node does."""
    return replace(experiment, scenario=experiment.scenario.model_copy(update={"tour": None}))


def without_plan(experiment: Experiment) -> Experiment:
    """The same experiment without the set-points, new paths and tour of its scenario, for a run
    whose record has them.
    """
    nothing = {"set_points": (), "path_changes": (), "tour": None}
    scenario = experiment.scenario.model_copy(update=nothing)
    return replace(experiment, scenario=scenario)
