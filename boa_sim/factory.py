# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""From an experiment to its simulated plant."""

from boa_control.experiments.experiment import Experiment
from boa_control.model.contact_geometry import ObstacleMap, chain_pose, find_contacts
from boa_description.errors import BoaError
from boa_description.scene import Obstacle, described
from boa_sim.plant import SimulatedPlant
from boa_sim.wrong_map import drawn_ahead, unmapped

OVERLAP = 0.02  # m; a start that overlaps less is moved aside: a map measured by hand is not exact


def plant_from_experiment(experiment: Experiment, seed: int = 0) -> SimulatedPlant:
    """The plant of a scenario, with its disturbances drawn from `seed`.

    Raises:
        BoaError: the start overlaps obstacles, or ground friction is too steep for the physics
            step.
    """
    scenario = experiment.scenario
    others = unmapped(experiment, experiment.obstacles, seed)
    _check_start(experiment, (*experiment.obstacles, *others))
    return SimulatedPlant(
        experiment.robot,
        obstacles=experiment.obstacles,
        unmapped=others,
        start_base=experiment.start_base,
        start_joints=experiment.start_joints,
        start_roll=scenario.initial.roll,
        terrain=scenario.scene.terrain,
        ground=scenario.scene.ground,
        contact=scenario.scene.contact,
        settings=scenario.plant,
        disturbance=drawn_ahead(experiment, seed),
        seed=seed,
    )


def _check_start(experiment: Experiment, obstacles: tuple[Obstacle, ...]) -> None:
    """Refuse a start deep inside of an obstacle, as the scenario has them: the robot would begin
    off its path.
    """
    if not experiment.robot.planar:
        return  # its worlds have no obstacles
    chain = chain_pose(experiment.robot, experiment.start_base, experiment.start_joints)
    near = find_contacts(chain, ObstacleMap.of(obstacles), within=0.0)
    if not len(near) or near.gap.min() >= -OVERLAP:
        return
    worst = int(near.gap.argmin())
    obstacle = described(obstacles[near.obstacle[worst]])
    raise BoaError(
        f"scenario {experiment.scenario.name}: at the start, link {near.link[worst] + 1} overlaps "
        f"the {obstacle} by {-near.gap[worst] * 1e3:.1f} mm (at most {OVERLAP * 1e3:.0f} mm); move "
        "the obstacle or the start"
    )
