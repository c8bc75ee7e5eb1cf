# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""hoal.launch.py under a Python that has launch and launch_ros and none of the robot's packages,
which is what `ros2 launch` runs it with.
"""

from __future__ import annotations

import subprocess
import sys
from ast import literal_eval
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[3]

# Stand-ins for launch and launch_ros keep what they are given; everything else that is not of the
# standard library or ours is refused, whether it is installed or not.
SYSTEM_PYTHON = """
import importlib.abc, importlib.machinery, runpy, sys, types

class Thing:
    def __init__(self, *given, **named):
        self.given, self.named = given, named
    def perform(self, context):
        return context.values[self.given[0]]

def made_of_things(name):
    module = types.ModuleType(name)
    module.__path__ = []
    module.__getattr__ = lambda attribute: type(attribute, (Thing,), {})
    return module

class Loader(importlib.abc.Loader):
    def create_module(self, spec):
        return made_of_things(spec.name)
    def exec_module(self, module):
        pass

class Gate(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        root = name.partition(".")[0]
        if root in ("launch", "launch_ros"):
            return importlib.machinery.ModuleSpec(name, Loader(), is_package=True)
        if root in sys.stdlib_module_names or root in ("boa_tools", "boa_description"):
            return None
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.path = [entry for entry in sys.path if "site-packages" not in entry]
sys.path.insert(0, sys.argv[1])
sys.meta_path.insert(0, Gate())
for name in [name for name in sys.modules if name.partition(".")[0] not in sys.stdlib_module_names]:
    if name != "__main__":
        del sys.modules[name]
sys.argv = ["ros2", "launch", "boa_control", "hoal.launch.py", *sys.argv[2:]]
description = runpy.run_path("launch/hoal.launch.py")["generate_launch_description"]()
*declarations, start = description.given[0]
context = types.SimpleNamespace(
    argv=sys.argv[4:],
    values={d.given[0]: d.named["default_value"] for d in declarations},
    launch_configurations={},
    is_shutdown=False,
)
context.values |= dict(word.split(":=") for word in context.argv)
for node in start.named["function"](context):
    print(node.named["name"], node.named["executable"], node.named["parameters"][-1])
"""


def launch(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", SYSTEM_PYTHON, str(ROOT), *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_launch_file_needs_nothing_but_launch() -> None:
    done = launch("sim:=True", "seed:=3", "use_composition:=false")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split()[:2] for line in lines] == [
        ["plant", "sim"],
        ["controller", "controller"],
        ["recorder", "recorder"],
    ]
    assert "'seed': 3" in lines[0] and "'lockstep': True" in lines[0]


def test_nodes_of_one_process_get_their_parameters_by_name() -> None:
    done = launch("speed:=max", "seed:=3", "namespace:=left")
    assert done.returncode == 0, done.stderr
    both, recorder = done.stdout.splitlines()
    assert recorder.startswith("recorder recorder ")
    name, executable, file = both.split()
    assert (name, executable) == ("None", "sim_with_controller"), "each keeps its own name"
    path = Path(file)
    try:
        blocks = yaml.safe_load(path.read_text())
    finally:
        path.unlink()
    assert list(blocks) == ["/left/plant", "/left/controller"]
    plant = blocks["/left/plant"]["ros__parameters"]
    assert (plant["seed"], plant["speed"], plant["lockstep"]) == (3, 0.0, True)
    alone = launch("speed:=max", "use_composition:=false", "namespace:=left").stdout.splitlines()
    parameters = literal_eval(alone[1].removeprefix("controller controller "))
    assert blocks["/left/controller"]["ros__parameters"] == parameters


def started(show: str, *arguments: str, prepare: str = "") -> list[str]:
    """What `show` prints for each node, after the line `prepare`."""
    head, _, _ = SYSTEM_PYTHON.rpartition("for node in")
    code = f"{head}{prepare}\nfor node in start.named['function'](context): print({show})"
    words = ("record:=false", "use_composition:=false", *arguments)
    done = subprocess.run(
        [sys.executable, "-c", code, str(ROOT), *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def test_nodes_are_below_the_namespace_of_a_group() -> None:
    """Below that of PushRosNamespace, which launch_ros keeps as `ros_namespace`."""
    pushed = "context.launch_configurations['ros_namespace'] = '/left'"
    show = "node.named['namespace'], node.named['remappings'][:1]"
    for prepare, arguments, expected in (
        ("", (), "/boa []"),
        ("", ("namespace:=right",), "/right [('/clock', 'clock')]"),
        (pushed, (), "/left/boa [('/clock', 'clock')]"),
        (pushed, ("namespace:=snake",), "/left/snake [('/clock', 'clock')]"),
        (pushed, ("namespace:=/snake",), "/snake [('/clock', 'clock')]"),
    ):
        assert started(show, *arguments, prepare=prepare) == [expected] * 2


def test_the_end_of_the_run_ends_the_launch_or_the_nodes_of_this_file() -> None:
    """Of two nodes, where the first ends or the second fails."""
    ends = "[type(it).__name__ for it in node.named['on_exit'](event, context)]"
    event = "event = types.SimpleNamespace(returncode=0)"
    included = "; sys.argv[3] = 'parent.launch.py'"
    alone = ["['Shutdown']", "['OpaqueFunction']"]
    # the plant ends the other; what that one does then is no news
    spared = ["['EmitEvent', 'EmitEvent']", "[]"]
    assert started(ends, prepare=event) == alone
    assert started(ends, "on_exit:=ignore", prepare=event) == spared
    assert started(ends, prepare=event + included) == spared
    assert started(ends, "on_exit:=shutdown", prepare=event + included) == alone


def test_what_is_not_required_starts_again_if_asked_to() -> None:
    show = "node.named['name'], node.named['respawn']"
    given = ("scenario:=boa_random_field", "planner:=true", "viewer:=web")
    required = ["plant False", "controller False"]
    assert started(show, *given) == [*required, "planner False", "view False"]
    assert started(show, *given, "respawn:=true") == [*required, "planner True", "view True"]


def test_the_robot_is_shown_without_a_plant() -> None:
    code = SYSTEM_PYTHON.replace("hoal.launch.py", "view_robot.launch.py")
    head, _, _ = code.rpartition("for node in")
    show = "for node in start.named['function'](context): print(node.named)"
    for gui, sliders in (
        ("true", "joint_state_publisher_gui"),
        ("false", "joint_state_publisher"),
    ):
        done = subprocess.run(
            [sys.executable, "-c", head + show, str(ROOT), "robot:=boa3", f"gui:={gui}"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        publisher, joints, rviz = done.stdout.splitlines()
        assert (
            "'package': 'robot_state_publisher'" in publisher and '<robot name="boa3"' in publisher
        )
        assert f"'package': '{sliders}'" in joints
        assert str(ROOT / "rviz" / "boa.rviz") in rviz


def test_a_misspelt_argument_is_refused() -> None:
    done = launch("durations:=5")
    assert done.returncode == 1
    assert "unknown launch argument 'durations'; did you mean 'duration'?" in done.stderr


def test_the_stand_in_refuses_the_robots_packages() -> None:
    code = SYSTEM_PYTHON.replace("launch/hoal.launch.py", "boa_control/experiments/scenario.py")
    done = subprocess.run(
        [sys.executable, "-c", code, str(ROOT)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 1 and "No module named" in done.stderr
