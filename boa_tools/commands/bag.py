# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa bag record|info|play|replay|recover`: rosbag2 bags (MCAP)."""

import argparse
import shlex
from pathlib import Path

from boa_tools.commands.arguments import add_trust, argument, positive

FAILED = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the actions."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    record = actions.add_parser(
        "record",
        help="record a running plant and controller (needs ROS)",
        description="Record all topics of a running plant and controller until Ctrl-C, then "
        "write the results.",
    )
    argument(record, "scenario SCENARIO", "scenario that plant and controller run")
    argument(record, "--out DIR", "results folder (default: results/<scenario>-<date>-<time>)")

    info = actions.add_parser(
        "info", help="what is in a bag", description="Show topics, counts, times and scenario."
    )
    play = actions.add_parser(
        "play",
        help="publish a bag again (needs ROS)",
        description="Publish a bag's messages for RViz, PlotJuggler or Foxglove. Torque "
        "commands go to /boa/played/torque_command, where no plant listens.",
    )
    argument(play, "--speed X", "times real time", positive, 1.0)
    replay = actions.add_parser(
        "replay",
        help="feed a bag to a controller and compare the torques",
        description="Feed the recorded sensor data to a fresh controller and compare its "
        "torques with the recorded ones. Status 1 when they differ.",
    )
    argument(replay, "--scenario NAME", "take controller and robot from this scenario instead")
    argument(replay, "--tolerance T", "difference that counts as none, N m", positive, 1e-6)
    recover = actions.add_parser(
        "recover",
        help="save what is left of a recording that was cut off",
        description="Write what a recording has that was killed, or met a full disk, into a new "
        "results folder with a readable bag; `boa report` then writes the rest.",
    )
    argument(
        recover, "bag DIR", "results folder that is called .incomplete, bag folder, or .mcap file"
    )
    argument(recover, "--out DIR", "results folder (default: the name without .incomplete)")
    add_trust(replay)
    for action in (info, play, replay):
        argument(action, "bag BAG", "bag folder, .mcap file, or results folder of a run")


def main(arguments: argparse.Namespace) -> int:
    """Run one action."""
    action = {
        "record": _record,
        "info": _info,
        "play": _play,
        "replay": _replay,
        "recover": _recover,
    }[arguments.action]
    return action(arguments)


def _record(arguments: argparse.Namespace) -> int:
    import os
    import subprocess
    import sys

    from boa_control.experiments.experiment import prepare
    from boa_control.experiments.library import load_scenario
    from boa_tools.runs.console import stop_on_interrupt
    from boa_tools.runs.results import results_directory

    _need_ros()
    scenario = prepare(load_scenario(arguments.scenario)).scenario
    out = results_directory(arguments.out, scenario.name)
    words = [sys.executable, "-m", "boa_tools.nodes.recorder", "--ros-args"]
    for name, value in (("scenario", arguments.scenario), ("out", out.absolute())):
        words += ["-p", f"{name}:={value}"]
    environment = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"} | dict(os.environ)
    # Ctrl-C reaches the recorder, too, which then closes the bag and writes the results
    with stop_on_interrupt():
        return subprocess.run(words, env=environment, check=False).returncode


def _info(arguments: argparse.Namespace) -> int:
    from boa_tools.bags.recorded import find_bag
    from boa_tools.bags.rosbag import bag_summary, check_bag

    bag = find_bag(Path(arguments.bag))
    check_bag(bag)
    summary = bag_summary(bag)
    print(f"bag       {bag}")
    print(f"duration  {summary.duration_s:.3f} s, from {summary.start_ns * 1e-9:.3f} s")
    print(f"scenario  {_scenario_name(summary.scenario)}")
    print(f"version   {summary.version or 'not said'}")
    width = max((len(topic.name) for topic in summary.topics), default=0)
    for topic in summary.topics:
        print(f"  {topic.name:<{width}}  {topic.count:>8}  {topic.msgtype}")
    return 0


def _play(arguments: argparse.Namespace) -> int:
    from boa_tools.bags.recorded import find_bag
    from boa_tools.bags.rosbag import check_bag

    bag = find_bag(Path(arguments.bag))
    check_bag(bag)
    _need_ros()
    from boa_tools.nodes.player import play

    return play(bag, arguments.speed)


def _replay(arguments: argparse.Namespace) -> int:
    from boa_control.experiments.build import build_controller, without_plan
    from boa_control.experiments.own_files import require_trust
    from boa_tools.bags.recorded import find_run
    from boa_tools.bags.rosbag import bag_summary, check_bag
    from boa_tools.bags.ticks import bag_ticks
    from boa_tools.runs.console import progress_bar
    from boa_tools.runs.replay import replay

    run = find_run(Path(arguments.bag), arguments.scenario)
    if arguments.scenario is None:
        require_trust(run.experiment.scenario, Path(arguments.bag), arguments.trust)
    check_bag(run.bag)  # before the work, which takes longer
    controller = build_controller(without_plan(run.experiment))  # the bag has set-points and paths
    with progress_bar("replay", bag_summary(run.bag).duration_s) as progress:
        comparison = replay(
            bag_ticks(run.bag, run.experiment), controller, arguments.tolerance, progress
        )
    print(
        f"{comparison.compared} of {comparison.ticks} ticks compared; largest difference "
        f"{comparison.largest:.3g} N m"
    )
    if comparison.first is None:
        return 0
    first = comparison.first
    name = run.experiment.robot.joint_names[first.joint]
    print(
        f"first difference at {first.time_s:.3f} s: {name} recorded {first.recorded:.6g} N m, "
        f"replayed {first.replayed:.6g} N m"
    )
    missing = first.missing(run.experiment.control_period)
    if missing > 0:
        print(
            f"the bag lacks {missing} ticks before that, which the controller may have had: "
            "a recorder that is too slow loses messages; record with `boa launch`, or slower"
        )
    return FAILED


def _recover(arguments: argparse.Namespace) -> int:
    from boa_description.errors import BoaError
    from boa_tools.bags.recovery import recover
    from boa_tools.runs import results

    source = Path(arguments.bag)
    files = [source] if source.is_file() else sorted(source.rglob("*.mcap"))
    if not files:
        raise BoaError(f"'{source}' has no .mcap file: nothing had been recorded; remove it")
    if len(files) > 1:
        raise BoaError(f"'{source}' has {len(files)} .mcap files; give one of them")
    name = source.name.removesuffix(results.INCOMPLETE).removesuffix(".mcap")
    directory = source.with_name(name if name != source.name else f"{name}-recovered")
    directory = results.results_directory(arguments.out or str(directory), name)
    scenario = source / results.SCENARIO
    text = scenario.read_text(encoding="utf-8") if scenario.is_file() else ""
    saved = recover(files[0], directory / results.BAG, text)
    if text:
        results.write_text(directory / results.SCENARIO, text)
    print(f"{saved.messages} messages of {saved.seconds:.2f} s: {directory / results.BAG}")
    if saved.left_out:
        print(f"left out, as no topics of Boa: {', '.join(saved.left_out)}")
    if text:
        print(f"metrics and report: boa report {shlex.quote(str(directory))}")
    return 0


def _scenario_name(text: str) -> str:
    import yaml

    return str(yaml.safe_load(text).get("name", "unnamed")) if text else "not in the bag"


def _need_ros() -> None:
    from importlib.util import find_spec

    from boa_description.errors import BoaError

    if find_spec("rclpy") is None:
        raise BoaError(
            "this needs ROS 2 for Python (rclpy): source your ROS workspace, or `make setup`"
        )
