# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""docs/interface.md says what there is, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from boa_control.interface import (
    CONTROLLER_SERVICES,
    LIFECYCLE_SERVICES,
    NODE_PARAMETERS,
    PLANNER_ACTIONS,
    PLANNER_SERVICES,
    PLANT_SERVICES,
    SIMULATION_SERVICES,
    Value,
)
from boa_control.messages.tools import joint_wrench, link_imu
from boa_description.frames import force_frame, imu_frame
from boa_tools.bringup.hoal import HOAL

MANUAL = Path(__file__).resolve().parents[3] / "docs" / "interface.md"


@pytest.fixture(scope="module")
def sections() -> dict[str, list[list[str]]]:
    """Heading -> rows of the tables below it, each a list of cells."""
    found: dict[str, list[list[str]]] = {}
    heading = ""
    for line in MANUAL.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif line.startswith("| `"):
            said = re.sub(r"\\(?=[<>*$\[\]])", "", line)  # as Markdown is read
            found.setdefault(heading, []).append(
                [cell.strip() for cell in said.strip("|").split("|")]
            )
    return found


def code(text: str) -> str:
    return f"`{text}`" if text else ""


def shown(default: Value) -> str:
    return str(default).lower() if isinstance(default, bool) else repr(default).replace("'", '"')


def test_topics_for_tools(sections) -> None:
    link, joint = "link_<nn>", "joint_<nn>"
    expected = [
        (link_imu(link), imu_frame(link)),
        (joint_wrench(joint), force_frame(joint)),
    ]
    assert sections["Topics for tools"] == [
        [code(topic.name), code(topic.msgtype), code(frame)] for topic, frame in expected
    ]


def test_services(sections) -> None:
    table = {
        "Services": (*PLANT_SERVICES, *SIMULATION_SERVICES),
        "Life cycle": LIFECYCLE_SERVICES,
        "Services of the controller": CONTROLLER_SERVICES,
        "Services of the planner": PLANNER_SERVICES,
    }
    for heading, services in table.items():
        rows = [row[:2] for row in sections[heading]]
        assert rows == [[code(f"~/{s.name}"), code(s.srvtype)] for s in services]


def test_actions(sections) -> None:
    assert sections["Actions of the planner"] == [
        [code(a.name), code(a.actiontype), a.description] for a in PLANNER_ACTIONS
    ]


@pytest.mark.parametrize("executable", NODE_PARAMETERS)
def test_parameters(sections, executable) -> None:
    (heading,) = [name for name in sections if re.match(rf"`{executable}` \(node ", name)]
    expected = [
        [code(p.name), code(shown(p.default)), str(p.limits or ""), p.description]
        for p in NODE_PARAMETERS[executable]
    ]
    assert sections[heading] == expected


def test_launch_arguments(sections) -> None:
    expected = [[code(a.name), code(a.default), ", ".join(a.choices), a.help] for a in HOAL.args]
    assert sections["Launch arguments"] == expected
