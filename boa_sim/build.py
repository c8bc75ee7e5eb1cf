"""From an experiment to its simulated plant."""

from __future__ import annotations

from boa_control.experiment import Experiment
from boa_sim.plant import MujocoPlant


def plant_from_experiment(experiment: Experiment, seed: int = 0) -> MujocoPlant:
    """The plant of a scenario, with its disturbances drawn from `seed`.

    Raises:
        BoaError: the start overlaps obstacles for good, or ground friction is too steep for the physics step.
    """
    scenario = experiment.scenario
    return MujocoPlant(
        experiment.robot,
        obstacles=experiment.obstacles,
        start_base=experiment.start_base,
        start_joints=experiment.start_joints,
        ground=scenario.scene.ground,
        contact=scenario.scene.contact,
        settings=scenario.plant,
        disturbance=scenario.disturbance,
        seed=seed,
    )
