# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""An estimate as files: gearboxes and robot, with sources, and what a controller begins with.

Joints whose losses the runs do not tell are taken for the mean of the others.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import yaml

from boa_control.experiments.identified import Identified, Values
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.quantities import PLAIN_KEYS
from boa_description.robot import Block, Robot
from boa_description.validation import unit_of
from boa_tools.identification.estimate import MASS, OF_ALL, OF_JOINTS, Parameter, RobotEstimate

GEARBOX, ROBOT, IDENTIFIED = "gearbox.yaml", "robot.yaml", "identified.yaml"
DRIVING, DRIVEN_BACK, DRY = (name for name, _, _ in OF_JOINTS)
DAMPING, ARMATURE = (name for name, _, _ in OF_ALL[:2])
LEAST = 1e-6  # of a factor on losses


def gearbox_text(found: RobotEstimate, name: str, source: str) -> str:
    """The gearboxes as a file, see docs/gearboxes.md. Raises BoaError: none is determined."""
    known = _told(found)
    own = np.maximum(found.gears.own[known], 0.0)
    gain = own[:, 0]
    mean = np.array([own[:, 1] / gain, own[:, 2], own[:, 3] / gain, own[:, 4]]).mean(axis=1)
    zone = float(found.zone.zone(np.array(found.rate)))
    each = found.gears.passed_on(found.rate, found.zone)
    drives, holds = each[..., 0], each[..., 1]
    share = mean[0] + zone * mean[2]
    if share > 0:
        losses = (holds - drives) / (holds + drives) / share
    else:  # a model without losses of the load
        dry = mean[1] + zone * mean[3]
        losses = (found.gears.own[:, 2] + zone * found.gears.own[:, 4]) / max(dry, LEAST)
    gains = np.where(known, (drives + holds) / 2, gain.mean())
    losses = np.where(known, np.maximum(losses, LEAST), 1.0)
    about = f"{source}; model {found.model}"
    values: dict[str, Any] = {
        "base": _quantity(mean[1], "N m", about),
        "motor": _quantity(mean[0], "1", f"{about}; the load's share is in it"),
        "stribeck": _quantity(mean[3], "N m", about),
        "stribeck_motor": _quantity(mean[2], "1", f"{about}; the load's share is in it"),
        "stribeck_rate": _quantity(float(found.zone.stribeck_rate), "rad/s", "As mx106_m5"),
        "stribeck_shape": _quantity(float(found.zone.stribeck_shape), "1", "As mx106_m5"),
        "losses": _quantity(losses, "1", about),
        "calibration": _quantity(gains, "1", about),
    }
    return _yaml({"name": f"{name}_gearbox", "summary": f"Identified on {name}", **values})


def identified_text(found: RobotEstimate, robot: Robot, source: Mapping[str, Any]) -> str:
    """What `hoal` begins with (`boa run --identified`): a, c and b with standard deviations."""
    known = _told(found)
    value, std = (
        np.stack(part) for part in zip(*map(found.of, (DRIVING, DRIVEN_BACK, DRY)), strict=True)
    )
    value = np.where(known, value, value[:, known].mean(axis=1, keepdims=True))
    spread = np.hypot(value[:, known].std(axis=1), std[:, known].mean(axis=1))
    std = np.where(known, std, spread[:, None])
    damping = found.gears.common[0] * found.rate  # which hoal compensates by itself
    drive, back = 1 / value[0], 1 / value[1]
    parts = (
        (drive, std[0] * drive**2, "1"),
        (back, std[1] * back**2, "1"),
        (np.maximum(value[2] - damping, 0.0) * drive, std[2] * drive, "N m"),
    )
    blocks = (
        Values(value=_listed(value), std=_listed(std), unit=unit) for value, std, unit in parts
    )
    file = Identified(
        robot=robot.name,
        source=dict(source),
        **dict(zip(("drive", "back", "base"), blocks, strict=True)),
    )
    return _yaml(file.model_dump(mode="json"))


def robot_text(robot: Robot, found: RobotEstimate, source: str) -> str:
    """The robot's file with all that was determined, and the gearboxes of the file beside it."""
    changes: dict[str, tuple[Any, str]] = {"actuator.gearbox.model": (f"./{GEARBOX}", "")}
    for key, name in (
        ("actuator.damping", DAMPING),
        ("actuator.armature", ARMATURE),
        ("link.mass", MASS[0]),
    ):
        one = next(one for one in found.parameters if one.name == name)
        # what the gearboxes lose at rest belongs to this damping, however well that is known
        if one.determined or name == DAMPING:
            changes[key] = (max(one.value, 0.0), f"{source}: {shown(one)}")
    return _yaml(_described(robot, robot.sources, changes))


def shown(one: Parameter) -> str:
    """Value and interval."""
    return f"{one.value:.4g} +- {one.half:.2g} {one.unit if one.unit != '1' else ''}".strip()


def _told(found: RobotEstimate) -> Array:
    """Joints whose losses are determined, (n - 1,)."""
    names = (DRIVING, DRIVEN_BACK, DRY)
    joints = max(one.joint for one in found.parameters)
    known = np.ones(joints, bool)
    for one in found.parameters:
        if one.name in names and not one.determined:
            known[one.joint - 1] = False
    if not known.any():
        raise BoaError(
            "no joint tells what its gearbox passes on, so there is no file of it; move longer, "
            "faster and under load (a lever must hang on the servo, as heavy and long as you say)"
        )
    return known


def _described(
    block: Block,
    sources: Mapping[str, str],
    changes: Mapping[str, tuple[Any, str]],
    prefix: str = "",
) -> dict[str, Any]:
    """Keys of a description file, in SI units."""
    found: dict[str, Any] = {}
    for key, field in type(block).model_fields.items():
        path, value = f"{prefix}{key}", getattr(block, key)
        if path in ("sources", "frame_prefix") or (value is None and path not in changes):
            continue
        if isinstance(value, Block):
            found[key] = _described(value, sources, changes, f"{path}.")
            continue
        value, source = changes.get(path, (value, sources.get(path, "default")))
        unit = unit_of(field)
        if path in PLAIN_KEYS or isinstance(value, str):
            found[key] = value
        elif unit is None:
            found[key] = {"value": value, "source": source}
        else:
            found[key] = _quantity(value, unit, source)
    return found


def _quantity(value: Any, unit: str, source: str) -> dict[str, Any]:
    number = _listed(value) if np.ndim(value) else float(f"{float(value):.6g}")
    return {"value": number, "unit": unit, "source": source}


def _listed(values: Array) -> list[float]:
    return [float(f"{value:.5g}") for value in values]


def _yaml(content: Mapping[str, Any]) -> str:
    return yaml.safe_dump(
        dict(content), sort_keys=False, default_flow_style=None, width=120, allow_unicode=True
    )
