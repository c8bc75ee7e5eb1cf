# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""ament_python and pip build of the Boa stack; see docs/architecture.md for why there is no
setup.cfg.

`colcon build --symlink-install` runs this file through a link, in its build folder: what is read
here is read beside the file itself.
"""

from glob import glob
from pathlib import Path
from runpy import run_path

from setuptools import setup

NAME = "boa_control"
HERE = Path(__file__).resolve().parent
VERSION = run_path(str(HERE / "boa_description" / "version.py"))["software_version"]()
ROOTS = ("boa_description", "boa_control", "boa_sim", "boa_hardware", "boa_tools")


def files(pattern):
    """Files and folders of the source tree, relative to it."""
    return sorted(glob(pattern, root_dir=HERE, recursive=True))


def requirements(name):
    """Requirements in requirements/<name>.in, and in the files that it names with -r."""
    text = (HERE / "requirements" / f"{name}.in").read_text(encoding="utf-8")
    found = {}  # in their order, each once
    for line in (line.split("#")[0].strip() for line in text.splitlines()):
        word, _, rest = line.partition(" ")
        more = requirements(rest.removesuffix(".in")) if word == "-r" else [line] if line else []
        found |= dict.fromkeys(more)
    return [*found]


PACKAGES = [
    path.rstrip("/").replace("/", ".")
    for root in ROOTS
    for path in [root, *files(f"{root}/**/")]
    if "__pycache__" not in path
]

setup(
    name=NAME,
    version=VERSION,
    packages=sorted(set(PACKAGES)),
    package_data={
        "": ["*.yaml", "archive.txt", "*.dbc", "*.xml", "*.html", "*.css", "*.js", "py.typed"]
    },
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml", "LICENSE", "QUALITY_DECLARATION.md"]),
        (f"share/{NAME}/launch", files("launch/*.launch.py")),
        (f"share/{NAME}/config", files("config/*")),
        (f"share/{NAME}/rviz", files("rviz/*.rviz")),
        (f"share/{NAME}/urdf", files("urdf/*")),
        (f"lib/{NAME}", files("scripts/*")),
    ],
    scripts=["scripts/boa"],  # not an entry point: colcon would write its own Python into that
    # what the description needs: who wants the URDF gets no MuJoCo, and no CAN or servo libraries
    install_requires=["setuptools", *requirements("description")],
    extras_require={
        "sim": requirements("sim"),
        "robot": requirements("robot"),
        "tools": requirements("run"),  # `boa` and the nodes: everything
        "ros": requirements("ros"),
        "view": requirements("view"),
        "sweeps": requirements("sweeps"),
        "cluster": requirements("cluster"),
        "gym": requirements("gym"),
        "implicit": requirements("implicit"),
        "policy": requirements("policy"),
        "test": requirements("test"),  # `colcon test` runs pytest where this asks for it
        "dev": requirements("dev"),
    },
    python_requires=">=3.11",
    zip_safe=False,
    maintainer="The Boa maintainers",
    maintainer_email="maintainers@example.org",
    description="Hybrid obstacle-aided locomotion for the planar snake robot Boa, in MuJoCo "
    "and on the robot.",
    license="Apache-2.0",
)
