# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Questions about ROS 2: installed, which domain, how far its traffic goes."""

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from boa_tools.doctor.check import Check, no, note, yes

RANGES = ("SUBNET", "LOCALHOST", "OFF", "SYSTEM_DEFAULT")


def checks() -> Iterator[Check]:
    """All questions about ROS."""
    if find_spec("rclpy") is None:
        yield note(
            "ROS 2",
            "rclpy is not installed; boa run, report and bench work without",
            "run `make setup`; PyPI has ROS wheels for Linux on x86-64 only: elsewhere source a "
            "distribution first",
        )
        return
    yield loads()
    yield launch_system()
    yield domain()
    yield reach()
    yield middleware()


def loads() -> Check:
    """rclpy loads with a middleware behind it."""
    try:
        from rclpy.utilities import get_rmw_implementation_identifier

        rmw = get_rmw_implementation_identifier()
    except Exception as error:  # broken installations fail in many ways when libraries are loaded
        text = " ".join(str(error).split())
        return no(
            "ROS 2",
            f"rclpy does not load: {text}",
            "do not mix ROS distributions in one environment: make setup",
        )
    return yes("ROS 2", f"{os.environ.get('ROS_DISTRO', 'rclpy from wheels')}, {rmw}")


def launch_system() -> Check:
    """Whether `ros2 launch` can be used."""
    if find_spec("launch_ros") is None:
        return note("ros2 launch", "not installed here; `boa launch` starts the same nodes")
    return yes("ros2 launch", "available")


def domain() -> Check:
    """The ROS domain."""
    text = os.environ.get("ROS_DOMAIN_ID")
    if text is None:
        return note("ROS_DOMAIN_ID", "not set: domain 0 (boa launch takes one of its own)")
    if text.isdecimal() and int(text) <= 101:
        return yes("ROS_DOMAIN_ID", text)
    return no(
        "ROS_DOMAIN_ID",
        f"'{text}'",
        "use a number from 0 to 101: larger ones collide with other ports",
    )


def reach() -> Check:
    """How far ROS traffic goes."""
    text = os.environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE")
    if text is None:
        return note(
            "discovery range",
            "not set: traffic leaves this machine (boa launch keeps it here)",
            "export ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST unless other machines take part",
        )
    if text not in RANGES:
        return no("discovery range", f"'{text}'", f"use one of {', '.join(RANGES)}")
    return yes("discovery range", text)


def middleware() -> Check:
    """The chosen middleware is installed."""
    chosen = os.environ.get("RMW_IMPLEMENTATION")
    if chosen is None:
        return yes("middleware", "the default")
    if find_spec("rclpy") and _shared_library(chosen):
        return yes("middleware", chosen)
    return no(
        "middleware",
        f"RMW_IMPLEMENTATION={chosen} is not installed",
        "unset it, or install that middleware",
    )


def _shared_library(name: str) -> bool:
    """Whether the library of a middleware is on the library path."""
    folders = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    return any((Path(folder) / f"lib{name}.so").exists() for folder in folders if folder)
