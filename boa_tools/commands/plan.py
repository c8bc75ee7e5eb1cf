# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa plan check PATH`: can this robot travel this path, and what would it cost?
`boa plan path MAP`: a path through posts as they were found.
`boa plan field`, `boa plan bench`: fields of posts, and how often they are crossed.
"""

import argparse

from boa_tools.commands.arguments import argument

FAILED = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    from boa_tools.commands import plan_bench, plan_field, plan_path

    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    check = actions.add_parser(
        "check",
        help="geometry, form closure, limits of floor friction, speed and preload",
        description="Check the path of a scenario for its robot. Status 1 when the robot "
        "cannot travel it.",
    )
    argument(check, "path PATH", "scenario with the path: a shipped one by name, or a YAML file")
    plan_path.describe_friction(check)
    plan_path.configure(
        actions.add_parser(
            "path",
            help="find a path through a field of posts on which they hold the robot all along",
            description="Find a path through a field of posts on which they hold the robot all "
            "along, and write a scenario that travels it. Status 1 when none was found.",
        )
    )
    plan_field.configure(
        actions.add_parser(
            "field",
            help="make a field of posts: thrown at random with a seed, or a grid",
            description="Write a map of posts for `boa plan path`.",
        )
    )
    plan_bench.configure(
        actions.add_parser(
            "bench",
            help="how many fields the planner crosses, how fast and how well",
            description="Search paths across fields of posts, one seed after the other.",
        )
    )


def main(arguments: argparse.Namespace) -> int:
    """Check a path, find one, or make a field."""
    from boa_tools.commands import plan_bench, plan_field, plan_path

    actions = {"path": plan_path.main, "field": plan_field.main, "bench": plan_bench.main}
    return actions.get(arguments.action, _check)(arguments)


def _check(arguments: argparse.Namespace) -> int:
    import numpy as np

    from boa_control.experiments.experiment import prepare
    from boa_control.experiments.library import load_scenario
    from boa_description.errors import BoaError
    from boa_tools.commands.plan_path import checked, friction_of, tail_at

    experiment = prepare(load_scenario(arguments.path))
    if experiment.path is None:
        raise BoaError(
            f"scenario {experiment.scenario.name} has no path, so there is nothing to check; "
            f"add a path block"
        )
    report = checked(experiment, friction_of(arguments))
    joints = ", ".join(f"{round(angle)}" for angle in np.degrees(experiment.start_joints).tolist())
    print(f"{tail_at(experiment.start_base)}, the joints at {joints} deg, as it begins")
    print("\n".join(report.lines()))
    return 0 if report.ok else FAILED
