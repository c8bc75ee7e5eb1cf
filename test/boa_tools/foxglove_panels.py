# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The settings of Foxglove's panels, as far as the layout has such panels.

From the sources of Lichtblick 2026-08-07 (MPL-2.0), the open successor of Foxglove Studio:
packages/suite-base/src/panels, ThreeDeeRender/IRenderer.ts and renderables, Plot/utils/config.ts,
RawMessagesCommon/types.ts, DiagnosticSummary/types.ts. What a layout leaves out has a default.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal, NotRequired

from pydantic import ConfigDict, TypeAdapter
from typing_extensions import TypedDict


class Settings(TypedDict, total=False):
    __pydantic_config__ = ConfigDict(extra="forbid", strict=True)


Three = tuple[float, float, float]


class Topic(Settings, total=False):
    """BaseSettings, LayerSettingsPoseArray (nav_msgs/Path) and LayerSettingsMarker."""

    visible: bool
    frameLocked: bool
    type: Literal["axis", "arrow", "line"]
    axisScale: float
    arrowScale: Three
    lineWidth: float
    gradient: tuple[str, str]
    color: str
    showOutlines: bool
    namespaces: dict[str, Any]


class Layer(Settings, total=False):
    """CustomLayerSettings of a grid or a URDF."""

    visible: bool
    frameLocked: bool
    instanceId: str
    layerId: Literal["foxglove.Grid", "foxglove.Urdf"]
    label: str
    order: int
    frameId: str
    size: float
    divisions: int
    lineWidth: float
    color: str
    position: Three
    rotation: Three
    sourceType: Literal["url", "filePath", "param", "topic"]
    url: str
    filePath: str
    parameter: str
    topic: str
    framePrefix: str
    displayMode: Literal["auto", "visual", "collision"]
    fallbackColor: str


class Camera(Settings, total=False):
    distance: float
    perspective: bool
    phi: float
    target: Three
    targetOffset: Three
    targetOrientation: tuple[float, float, float, float]
    thetaOffset: float
    fovy: float
    near: float
    far: float


class Frames(Settings, total=False):
    editable: bool
    showLabel: bool
    labelSize: float
    axisScale: float
    lineWidth: float
    lineColor: str


class Scene(Settings, total=False):
    enableStats: bool
    backgroundColor: str
    labelScaleFactor: float
    transforms: Frames
    syncCamera: bool
    topicsVisible: bool


class Publish(Settings, total=False):
    type: Literal["point", "pose", "pose_estimate"]
    poseTopic: str
    pointTopic: str
    poseEstimateTopic: str


class ThreeDee(Settings, total=False):
    cameraState: Camera
    followTf: str
    followMode: Literal["follow-pose", "follow-position", "follow-none"]
    scene: Scene
    publish: Publish
    transforms: dict[str, Any]
    topics: dict[str, Topic]
    layers: dict[str, Layer]
    imageMode: dict[str, Any]


class PlotPath(Settings):
    value: str
    enabled: bool
    timestampMethod: Literal["receiveTime", "headerStamp"]
    color: NotRequired[str]
    label: NotRequired[str]


class Plot(Settings, total=False):
    title: str
    paths: list[PlotPath]
    showLegend: bool
    legendDisplay: Literal["floating", "top", "left", "none"]
    showPlotValuesInLegend: bool
    showXAxisLabels: bool
    showYAxisLabels: bool
    isSynced: bool
    xAxisVal: Literal["timestamp", "index", "custom", "currentCustom"]
    sidebarDimension: float


class RawMessages(Settings, total=False):
    topicPath: str
    diffEnabled: bool
    showFullMessageForDiff: bool


class DiagnosticSummary(Settings, total=False):
    minLevel: int
    pinnedIds: list[str]
    topicToRender: str
    hardwareIdFilter: str
    sortByLevel: bool


PANELS = {
    "3D": ThreeDee,
    "Plot": Plot,
    "RawMessages": RawMessages,
    "DiagnosticSummary": DiagnosticSummary,
}


def check_panels(panels: Mapping[str, Any]) -> None:
    """Raise pydantic.ValidationError for settings that a panel does not have. The kind of a panel
    stands before the exclamation mark of its name.
    """
    for name, settings in panels.items():
        kind = PANELS[name.partition("!")[0]]
        TypeAdapter(kind).validate_json(json.dumps(settings), strict=True)
