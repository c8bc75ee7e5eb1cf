# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parts of the package alone: each imports with what its extra installs, and package.xml, setup.py
and the requirements name the same things.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.metadata import distribution, packages_distributions
from pathlib import Path
from xml.etree import ElementTree

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]

# modules that need another part: models are made by MuJoCo, nodes need ROS, the emulated robot
# moves in the simulation
ELSEWHERE = (
    "boa_description.mjcf",
    "boa_description.staging",
    "boa_control.ros",
    "boa_sim.composed",
    "boa_sim.node",
    "boa_hardware.node",
    "boa_hardware.emulator",
    "boa_hardware.timing",
)
PARTS = {
    "description": ("boa_description",),
    "sim": ("boa_description", "boa_control", "boa_sim"),
    "robot": ("boa_description", "boa_control", "boa_hardware"),
}
IMPORT_ALL = """
import importlib, importlib.abc, pkgutil, sys
allowed, skipped, packages = (set(word.split(",")) for word in sys.argv[1:4])

class Gate(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        root = name.partition(".")[0]
        if root in allowed or root in sys.stdlib_module_names or root.startswith("_"):
            return None
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Gate())
for package in packages:
    module = importlib.import_module(package)
    for info in pkgutil.walk_packages(module.__path__, f"{package}.", onerror=lambda name: None):
        if not any(info.name == part or info.name.startswith(f"{part}.") for part in skipped):
            importlib.import_module(info.name)
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


def requirements(name: str) -> set[str]:
    """Distributions in requirements/<name>.in and the files that it names."""
    found: set[str] = set()
    for line in (ROOT / "requirements" / f"{name}.in").read_text(encoding="utf-8").splitlines():
        word, _, rest = line.split("#")[0].strip().partition(" ")
        if word == "-r":
            found |= requirements(rest.removesuffix(".in"))
        elif word:
            found.add(re.split("[<>=;]", word)[0])
    return found


def installed_with(names: set[str]) -> set[str]:
    """Distributions that pip installs with these, themselves included."""
    found: set[str] = set()
    waiting = [*names]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            needs = map(Requirement, distribution(name).requires or ())
            waiting += [
                need.name
                for need in needs
                if not need.marker or need.marker.evaluate({"extra": ""})
            ]
    return {distribution(name).metadata["Name"] for name in found}


def import_part(part: str, skipped: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    """Import every module of a part where nothing is installed but what its extra asks for."""
    here = installed_with(requirements(part) | requirements("description"))
    modules = packages_distributions().items()
    allowed = {module for module, names in modules if here & {*names}} | {*PARTS[part]}
    lists = (",".join(names) for names in (sorted(allowed), skipped, PARTS[part]))
    return subprocess.run(
        [sys.executable, "-c", IMPORT_ALL, *lists],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("part", PARTS)
def test_a_part_imports_with_what_its_extra_installs(part: str) -> None:
    done = import_part(part, ELSEWHERE)
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split())
    absent = {
        "description": {"mujoco", "can", "serial", "dynamixel_sdk", "scipy", "numba", "rosbags"},
        "sim": {"can", "cantools", "serial", "dynamixel_sdk", "matplotlib"},
        "robot": {"mujoco", "matplotlib", "imageio_ffmpeg"},
    }[part]
    assert not loaded & absent


def test_the_gate_refuses_what_a_part_does_not_ask_for() -> None:
    """Without the exceptions above the description meets its modules that need MuJoCo."""
    done = import_part("description", ("boa_description.staging",))
    assert done.returncode == 1 and "No module named 'mujoco'" in done.stderr


def test_a_command_names_the_extra_that_installs_what_it_lacks(tmp_path: Path) -> None:
    """Status 2, and as after any wrong input nothing was written."""
    code = (
        "import sys; sys.modules['mujoco'] = None; from boa_tools.cli import main; "
        "sys.exit(main(['run', 'boa_circle', '--duration', '0.1']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    assert "pip install 'boa_control[tools]'" in done.stderr and done.stderr.count("\n") == 1
    assert not any(tmp_path.iterdir())


# distribution -> rosdep key of package.xml; None: rosdistro has no key for it
KEYS = {
    "backports.zstd": None,
    "cantools": "python3-cantools-pip",
    "daqp": None,
    "dynamixel-sdk": "dynamixel_sdk",
    "hypothesis": "python3-hypothesis",
    "imageio": "python3-imageio",
    "imageio-ffmpeg": None,
    "mcap": None,
    "mujoco": "python3-mujoco-pip",
    "pillow": "python3-pil",
    "playwright": None,
    "pyserial": "python3-serial",
    "python-can": "python3-can",
    "pyyaml": "python3-yaml",
    "rosbags": "python3-rosbags-pip",
}
LAUNCHED = re.compile(r'package="(\w+)"')


@pytest.fixture(scope="module")
def manifest() -> ElementTree.Element:
    return ElementTree.parse(ROOT / "package.xml").getroot()


def keys(manifest: ElementTree.Element, kind: str) -> set[str]:
    return {str(element.text) for element in manifest.findall(kind)}


def test_the_manifest_names_every_requirement(manifest: ElementTree.Element) -> None:
    text = (ROOT / "package.xml").read_text(encoding="utf-8")
    extras = ("view", "sweeps", "cluster", "gym", "implicit", "policy")
    optional = set().union(*(requirements(name) for name in extras))
    for kind, names in (
        ("exec_depend", requirements("run")),
        ("test_depend", requirements("test") - optional),
    ):
        expected = {KEYS.get(name, f"python3-{name}") for name in names} - {None}
        of_python = {key for key in keys(manifest, kind) if key.startswith("python3-")}
        assert of_python | (keys(manifest, kind) & {"dynamixel_sdk"}) == expected
    (comment,) = re.findall(r"Without a rosdep key: (.+?)\. ", text)
    assert {*comment.split(", ")} == {name for name in KEYS if KEYS[name] is None}


def test_the_manifest_names_every_ros_package_that_is_imported(
    manifest: ElementTree.Element,
) -> None:
    """Packages of topics and actions, and those that launch files start or import."""
    from boa_control.interface import PLANNER_ACTIONS
    from boa_control.messages.topics import TOPICS

    types = [topic.msgtype for topic in TOPICS] + [action.actiontype for action in PLANNER_ACTIONS]
    messages = {name.partition("/")[0] for name in types}
    files = [*ROOT.glob("launch/*.py")]
    launched = {name for file in files for name in LAUNCHED.findall(file.read_text())}
    assert messages | launched | {"rclpy", "launch", "launch_ros"} <= keys(manifest, "exec_depend")


def test_the_licence_is_installed_with_the_manifest() -> None:
    named = (ROOT / "setup.py").read_text(encoding="utf-8")
    for file in ("package.xml", "LICENSE", "QUALITY_DECLARATION.md"):
        assert f'"{file}"' in named and (ROOT / file).is_file()


def test_the_container_follows_the_readme(manifest: ElementTree.Element) -> None:
    """It was not built here; what it names exists, and its steps are those of the recipe."""
    steps = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    recipe = (ROOT / "README.md").read_text(encoding="utf-8")
    for words in (
        "python3 -m venv --system-site-packages .boa",
        "pip install",
        "-r src/boa/requirements/run.in",
        "colcon build --symlink-install",
        "source install/setup.bash",
        "python3 -m boa_sim.compiled",
    ):
        assert words in steps and words in recipe
    (skipped,) = re.findall(r'--skip-keys \\\n +"(.+)"', steps)
    assert {*skipped.split()} <= keys(manifest, "exec_depend")
    build = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())["build"]
    assert (ROOT / ".devcontainer" / build["dockerfile"]).resolve() == ROOT / "Dockerfile"
