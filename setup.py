"""ament_python and pip build of the Boa stack; see docs/architecture.md for why there is no
setup.cfg.
"""

from glob import glob
from runpy import run_path

from setuptools import setup

NAME = "boa_control"
VERSION = run_path("boa_description/version.py")["software_version"]()
PACKAGES = [
    path.rstrip("/").replace("/", ".")
    for root in ("boa_description", "boa_control", "boa_sim", "boa_hardware", "boa_tools")
    for path in [root, *sorted(glob(f"{root}/**/", recursive=True))]
    if "__pycache__" not in path
]
RUN = [
    line.split("#")[0].strip()
    for line in open("requirements/run.in", encoding="utf-8")
    if line.split("#")[0].strip()
]

setup(
    name=NAME,
    version=VERSION,
    packages=sorted(set(PACKAGES)),
    package_data={"": ["*.yaml", "archive.txt", "*.dbc", "*.xml", "*.html", "*.css", "py.typed"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
        (f"share/{NAME}/launch", sorted(glob("launch/*.launch.py"))),
        (f"share/{NAME}/config", sorted(glob("config/*"))),
        (f"lib/{NAME}", sorted(glob("scripts/*"))),
    ],
    install_requires=["setuptools", *RUN],
    python_requires=">=3.11",
    zip_safe=False,
    maintainer="The Boa maintainers",
    maintainer_email="maintainers@example.org",
    description="Hybrid obstacle-aided locomotion for the planar snake robot Boa, in MuJoCo "
    "and on the robot.",
    license="Apache-2.0",
    entry_points={"console_scripts": ["boa = boa_tools.cli:main"]},
)
