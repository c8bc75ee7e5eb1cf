"""A set of scenarios to compare: one base scenario, changed in every combination of named variants.
One YAML file each.

    name: compare_controllers
    summary: ...
    set:
      base: boa_circle                  # shipped scenario, or a file beside this one
      change: {duration: 20}            # in every member
      vary:                             # a member for each combination of one variant per axis
        controller: {hoal: {...}, pd: {controller: {name: path_pd}}}
        map: {exact: {}, 5mm_off: {disturbance: {obstacle_offset: 0.005}}}

A change is written like the scenario itself. Mappings are merged key by key, but one that says
`name` or `kind` is another thing and replaces what was there; so does everything that is not a
mapping.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from pydantic import Field, ValidationError, field_validator

from boa_control.experiments.scenario import Scenario
from boa_description.errors import BoaError
from boa_description.robot import Block
from boa_description.validation import explain

NAMES_ITSELF = ("name", "kind")  # keys that make a mapping another thing
KEPT = ("name", "summary")  # of the base scenario, which members get from the set

Change = dict[str, Any]


class Variation(Block):
    """Settings that the members have in common, and those in which they differ."""

    base: str = Field(description="shipped scenario, or YAML file")
    change: Change = Field(default_factory=dict)
    vary: dict[str, dict[str, Change]] = Field(
        min_length=1, description="axis -> variant -> change"
    )

    @field_validator("vary", mode="before")
    @classmethod
    def _variants_given(cls, vary: Any) -> Any:
        """Let `exact:` with nothing behind it stand for no change."""
        if not isinstance(vary, Mapping):
            return vary
        for axis, variants in vary.items():
            if not isinstance(variants, Mapping) or not variants:
                raise ValueError(
                    f"axis '{axis}' needs at least one named variant, e.g. {axis}: {{first: {{}}}}"
                )
            wrong = [str(label) for label in variants if not re.fullmatch(r"\w+", str(label))]
            if wrong:
                raise ValueError(
                    f"variant '{wrong[0]}' of axis '{axis}' names a folder; use letters, "
                    f"digits and _"
                )
        return {
            axis: {
                str(label): {} if change is None else change for label, change in variants.items()
            }
            for axis, variants in vary.items()
        }


class ScenarioSet(Block):
    """A named set, as in its file."""

    name: str
    summary: str
    set: Variation


@dataclass(frozen=True, slots=True)
class Member:
    """One scenario of a set.

    Attributes:
        labels: its variant of every axis, in order of the axes.
        scenario: complete; its name is the set's name and the labels.
    """

    labels: tuple[str, ...]
    scenario: Scenario

    @property
    def folder(self) -> str:
        """Name of its results folder."""
        return "-".join(self.labels)


def members(chosen: ScenarioSet, base: Scenario) -> tuple[Member, ...]:
    """All members, the last axis changing fastest.

    Raises:
        BoaError: a change that makes no valid scenario (which member, key and value), or that
            changes the name.
    """
    axes = chosen.set.vary
    common = _changed(
        base.model_dump(mode="json", exclude_unset=True),
        chosen.set.change,
        f"set {chosen.name}: change",
    )
    complete = []
    for labels in product(*axes.values()):
        where = f"set {chosen.name}, member {'-'.join(labels)}"
        data = common
        for axis, label in zip(axes, labels, strict=True):
            data = _changed(data, axes[axis][label], where)
        data = data | {
            "name": f"{chosen.name}-{'-'.join(labels)}",
            "summary": f"{chosen.summary}: {', '.join(labels)}",
        }
        try:
            complete.append(Member(labels, Scenario.model_validate(data)))
        except ValidationError as error:
            raise explain(error, Scenario, where) from error
    return tuple(complete)


def _changed(data: Mapping[str, Any], change: Change, where: str) -> dict[str, Any]:
    for key in KEPT:
        if key in change:
            raise BoaError(
                f"{where}: '{key}' cannot be changed; members are named after the set and "
                f"their variants"
            )
    return merged(data, change)


def merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """`old` with `new` put over it, see above. Neither is modified."""
    result = dict(old)
    for key, value in new.items():
        before = result.get(key)
        replaces = not isinstance(value, Mapping) or any(name in value for name in NAMES_ITSELF)
        result[key] = (
            value if replaces or not isinstance(before, Mapping) else merged(before, value)
        )
    return result
