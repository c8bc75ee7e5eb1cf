"""`boa plan check PATH`: can this robot travel this path, and what would it cost?"""

from __future__ import annotations

import argparse

FAILED = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    check = actions.add_parser(
        "check",
        help="geometry, form closure, limits of floor friction, speed and preload",
        description="Check the path of a scenario for its robot. Status 1 when the robot cannot travel it.",
    )
    check.add_argument("path", metavar="PATH", help="scenario with the path: a shipped one by name, or a YAML file")


def main(arguments: argparse.Namespace) -> int:
    """Print the report."""
    from boa_control.experiment import prepare
    from boa_control.library import load_scenario
    from boa_control.plan import check
    from boa_description.errors import BoaError

    experiment = prepare(load_scenario(arguments.path))
    if experiment.path is None:
        raise BoaError(
            f"scenario {experiment.scenario.name} has no path, so there is nothing to check; add a path block"
        )
    others = experiment.obstacles[len(experiment.path.obstacles) :]
    scene = experiment.scenario.scene
    report = check(experiment.path, experiment.robot, scene.ground, scene.contact.friction, others)
    print("\n".join(report.lines()))
    return 0 if report.ok else FAILED
