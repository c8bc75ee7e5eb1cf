# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa trajectory SCENARIO`: the joint trajectory of least effort, by contact-implicit
optimisation.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING

from boa_tools.commands.arguments import argument, number, positive_int

if TYPE_CHECKING:
    from boa_tools.contact_implicit.solve import Step

RECORD = "trajectory.npz"  # of the solution, beside the scenario that plays it


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    argument(
        parser,
        "scenario SCENARIO",
        "name of a shipped scenario, or a YAML file: joint_pd with a gait in space, such as "
        "cobra_fastest",
    )
    argument(parser, "--knots N", "of one period, at least 8", positive_int, 40)
    argument(
        parser,
        "--way M",
        "to be gone in one period, m (default: as the scenario's gait goes)",
        number,
    )
    argument(
        parser,
        "--out DIR",
        "folder for the answer (default: results/<scenario>_trajectory-<date>-<time>)",
    )


def main(arguments: argparse.Namespace) -> int:
    """Run the scenario, optimise a period of it, write the scenario that plays the answer. Status 1
    where the solver has not got to an optimum.
    """
    import numpy as np

    from boa_control.experiments.experiment import prepare
    from boa_control.experiments.library import load_scenario
    from boa_tools.contact_implicit.solve import require_solver, solve
    from boa_tools.contact_implicit.warm_start import gait_of, played, programme_near
    from boa_tools.runs import results
    from boa_tools.runs.drive import run_experiment
    from boa_tools.runs.results import write_scenario

    require_solver()
    scenario = load_scenario(arguments.scenario)
    gait = gait_of(scenario)
    directory = results.results_directory(arguments.out, f"{scenario.name}_trajectory")
    experiment = prepare(scenario)
    log = run_experiment(experiment).log
    programme, start = programme_near(log, experiment, gait, arguments.knots, arguments.way)
    task = programme.task
    print(
        f"{scenario.name} goes {task.distance:.4f} m in {gait.period:.4f} s with an effort of "
        f"{programme.effort(programme.vector(start)):.2f} N2 m2 s",
        flush=True,
    )
    step = solve(programme, programme.vector(start), report=_tell)
    motion = programme.motion(step.unknowns)
    record = {**asdict(task), **step._asdict(), **asdict(motion)}
    with results.staged(directory) as scratch:
        write_scenario(scratch, played(scenario, gait, motion))
        np.savez_compressed(scratch / RECORD, **record)
    print(directory / results.SCENARIO)
    return 0 if step.optimal else 1


def _tell(step: Step) -> None:
    print(
        f"slack {step.slack:.0e} J: effort {step.effort:.2f} N2 m2 s, equalities within "
        f"{step.residual:.0e}, {'optimal' if step.optimal else 'not yet optimal'} after "
        f"{step.iterations} iterations, {step.seconds:.0f} s",
        flush=True,
    )
