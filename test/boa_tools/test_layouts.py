# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The installed layouts of RViz, Foxglove, PlotJuggler and the diagnostics: every topic, type and
field named in them exists.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml
from pydantic import ValidationError
from rosbags.interfaces import Nodetype

from boa_control.messages.cdr import typestore
from boa_control.messages.force_arrows import FORCE_SCALE
from boa_control.messages.topics import NAMESPACE, TOPICS, Topic
from boa_description.frames import WORLD
from boa_description.joint_tree import joint_tree
from boa_description.load import load_robot
from test.boa_tools.foxglove_panels import check_panels

ROOT = Path(__file__).resolve().parents[2]
BOA = load_robot("boa13")
TABLE = {topic.name: topic for topic in TOPICS}
FRAMES = {WORLD, *(joint.child for joint in joint_tree(BOA))}
JOINT_STATE = "sensor_msgs/msg/JointState"
# what an RViz display reads
DISPLAYS = {
    "rviz_default_plugins/RobotModel": "std_msgs/msg/String",
    "rviz_default_plugins/Path": "nav_msgs/msg/Path",
    "rviz_default_plugins/MarkerArray": "visualization_msgs/msg/MarkerArray",
    "rviz_default_plugins/PoseArray": "geometry_msgs/msg/PoseArray",
}
OTHERS = ("rviz_default_plugins/Grid", "rviz_default_plugins/TF")


@pytest.fixture(scope="module")
def rviz() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "rviz" / "boa.rviz").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def foxglove() -> dict[str, Any]:
    return json.loads((ROOT / "config" / "foxglove.json").read_text(encoding="utf-8"))


def displays(config: dict[str, Any]) -> list[dict[str, Any]]:
    return config["Visualization Manager"]["Displays"]


def below_namespace(setting: dict[str, Any]) -> Topic:
    """The topic of a display, whose name is relative to the namespace in which RViz runs."""
    return TABLE[f"{NAMESPACE}/{setting['Value']}"]


def test_every_display_of_rviz_reads_a_topic_of_its_type(rviz: dict[str, Any]) -> None:
    for display in displays(rviz):
        kind = display["Class"]
        if kind in OTHERS:
            assert "Topic" not in display
            continue
        topic = display["Description Topic" if kind.endswith("RobotModel") else "Topic"]
        assert below_namespace(topic).msgtype == DISPLAYS[kind]


def test_rviz_asks_for_the_quality_of_service_that_is_offered(rviz: dict[str, Any]) -> None:
    settings = [display[key] for display in displays(rviz) for key in display if "Topic" in key]
    assert len(settings) >= 6
    for setting in settings:
        topic = below_namespace(setting)
        assert setting["Reliability Policy"] == "Reliable"
        assert setting["History Policy"] == "Keep Last"
        expected = "Transient Local" if topic.latched else "Volatile"
        assert (setting["Durability Policy"], setting["Depth"]) == (expected, topic.depth)


def test_rviz_shows_robot_path_posts_and_forces(rviz: dict[str, Any]) -> None:
    shown = {
        below_namespace(display.get("Topic") or display.get("Description Topic")).name
        for display in displays(rviz)
        if display["Enabled"] and display["Class"] in DISPLAYS
    }
    assert shown == {
        "/boa/robot_description",
        "/boa/path",
        "/boa/planned_path",
        "/boa/obstacles",
        "/boa/corrected_map",
        "/boa/contact_force_markers",
        "/boa/joint_force_markers",
    }
    assert all(display["Enabled"] == display["Value"] for display in displays(rviz))


def test_frames_named_in_the_layouts_are_the_robot_s(
    rviz: dict[str, Any], foxglove: dict[str, Any]
) -> None:
    manager, scene = rviz["Visualization Manager"], foxglove["configById"]["3D!boa"]
    grid = scene["layers"]["boa-grid"]["frameId"]
    assert manager["Global Options"]["Fixed Frame"] == grid == WORLD
    assert {manager["Views"]["Current"]["Target Frame"], scene["followTf"]} <= FRAMES


def test_the_3d_panel_of_foxglove_shows_topics_of_the_table(foxglove: dict[str, Any]) -> None:
    panel = foxglove["configById"]["3D!boa"]
    assert {*panel["topics"], panel["publish"]["poseTopic"]} <= set(TABLE)
    shown = {name for name, settings in panel["topics"].items() if settings["visible"]}
    assert {"/boa/path", "/boa/planned_path", "/boa/obstacles", "/boa/corrected_map"} <= shown
    paths = {name for name in panel["topics"] if TABLE[name].msgtype == "nav_msgs/msg/Path"}
    assert {panel["topics"][name]["type"] for name in paths} == {"line"}
    (urdf,) = [layer for layer in panel["layers"].values() if layer["layerId"] == "foxglove.Urdf"]
    assert urdf["sourceType"] == "topic" and urdf["topic"] == "/boa/robot_description"


def test_panels_of_foxglove_have_the_settings_of_their_schema(foxglove: dict[str, Any]) -> None:
    check_panels(foxglove["configById"])


@pytest.mark.parametrize(
    ("panel", "settings"),
    [
        ("3D!boa", {"fixedFrame": "world"}),  # no such setting
        ("3D!boa", {"followMode": "follow"}),
        ("3D!boa", {"topics": {"/boa/path": {"visible": True, "type": "line", "lineWidth": "3"}}}),
        ("Plot!angles", {"paths": [{"value": "/boa/joint_states.position[0]"}]}),
    ],
)
def test_the_schema_refuses_what_a_panel_would_ignore(panel: str, settings: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        check_panels({panel: settings})


def test_every_panel_of_foxglove_has_a_place(foxglove: dict[str, Any]) -> None:
    def leaves(node: Any) -> Iterator[str]:
        if isinstance(node, str):
            yield node
            return
        yield from leaves(node["first"])
        yield from leaves(node["second"])

    placed = list(leaves(foxglove["layout"]))
    assert sorted(placed) == sorted(foxglove["configById"])


def test_plots_of_foxglove_follow_fields_that_exist(foxglove: dict[str, Any]) -> None:
    panels = foxglove["configById"].values()
    paths = [path for panel in panels for path in panel.get("paths", ())]
    assert len(paths) == 3 * BOA.joints
    for path in paths:
        topic, fields = path["value"].split(".", maxsplit=1)
        kind, size = resolve(TABLE[topic], re.sub(r"\[(\d+)\]", r".\1", fields).split("."))
        assert kind == "float64"
        assert size == [BOA.joint_names.index(path["label"])]


def test_texts_and_diagnostics_of_foxglove_exist(foxglove: dict[str, Any]) -> None:
    panels = foxglove["configById"].values()
    named = [
        panel[key] for panel in panels for key in ("topicPath", "topicToRender") if key in panel
    ]
    assert len(named) == 2 and set(named) <= set(TABLE)


def test_curves_of_plotjuggler_exist() -> None:
    """PlotJuggler names the numbers of a JointState topic/joint/field, others topic/field[i]/..."""
    root = ElementTree.parse(ROOT / "config" / "plotjuggler.xml").getroot()
    curves = [curve.attrib["name"] for curve in root.iter("curve")]
    assert len(curves) == len(set(curves)) > 5 * BOA.joints
    for curve in curves:
        topic = max((name for name in TABLE if curve.startswith(f"{name}/")), key=len)
        rest = curve.removeprefix(f"{topic}/")
        if TABLE[topic].msgtype == JOINT_STATE:
            joint, field = rest.split("/")
            assert joint in BOA.joint_names and field in ("position", "velocity", "effort")
            continue
        kind, index = resolve(TABLE[topic], re.sub(r"\[(\d+)\]", r"/\1", rest).split("/"))
        assert kind == "float64" and all(i < BOA.joints for i in index)


def resolve(topic: Topic, steps: list[str]) -> tuple[str, list[int]]:
    """Type of a field, and the indices on the way to it. Fails where there is no such field."""
    kind, index, element = topic.msgtype, [], None
    for step in steps:
        if step.isdecimal():
            assert element is not None, f"{topic.name}: {'.'.join(steps)} indexes what is no list"
            index.append(int(step))
            kind, element = element, None
            continue
        fields = dict(typestore().fielddefs[kind][1])
        node, detail = fields[step]
        if node in (Nodetype.ARRAY, Nodetype.SEQUENCE):
            element = _name(*detail[0])
        else:
            kind, element = _name(node, detail), None
    assert element is None
    return kind, index


def _name(node: Nodetype, detail: Any) -> str:
    return detail if node is Nodetype.NAME else detail[0]


def test_every_line_of_the_diagnostics_falls_into_one_group() -> None:
    text = (ROOT / "config" / "diagnostics.yaml").read_text(encoding="utf-8")
    groups = yaml.safe_load(text)["/**"]["ros__parameters"]
    analyzers = [group for group in groups.values() if isinstance(group, dict)]
    assert {group["type"] for group in analyzers} == {"diagnostic_aggregator/GenericAnalyzer"}
    manual = (ROOT / "docs" / "interface.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\| `(boa/[^`]+)` \|", manual, flags=re.MULTILINE)
    assert len(lines) == 5
    for line in lines:
        hits = [g for g in analyzers if any(fnmatch(line, f"*{part}*") for part in g["contains"])]
        assert len(hits) == 1, line
    used = [part for group in analyzers for part in group["contains"]]
    assert all(any(part in line for line in lines) for part in used)


def test_the_scale_of_the_arrows_is_the_one_of_the_table() -> None:
    for name, topic in TABLE.items():
        if name.endswith("_markers"):
            assert f"{np.round(FORCE_SCALE * 1e3, 3):g} mm per N" in topic.content
