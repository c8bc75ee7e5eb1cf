# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A set of scenarios to compare: one base scenario, changed in every combination of named variants.
One YAML file each.

    name: compare_controllers
    summary: ...
    set:
      base: boa_circle                  # shipped scenario or set, or a file beside this one
      change: {duration: 20}            # in every member
      vary:                             # a member for each combination of one variant per axis
        controller: {hoal: {...}, pd: {controller: {name: path_pd}}}
        map: {exact: {}, 5mm_off: {disturbance: {obstacle_offset: 0.005}}}
      also: {pd-5mm_off: {duration: 40}}  # in one combination, after the changes of its variants
      refused: [hoal-5mm_off]             # combinations that the controller is known to refuse
      about: {controller: {pd: no forces}} # variant -> what a reader should know of it
      show: [displacement_m]              # metrics of the table, instead of the usual ones

A change is written like the scenario itself. Mappings are merged key by key, but one that says
`name` or `kind` is another thing and replaces what was there; so does everything that is not a
mapping. The word $seed in a change stands for the seed of the run, so that a field of posts can be
another one in every run.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Self

from pydantic import Field, field_validator, model_validator

from boa_control.experiments.scenario import Name, Scenario
from boa_description.errors import BoaError
from boa_description.robot import Block
from boa_description.validation import validated

NAMES_ITSELF = ("name", "kind")  # keys that make a mapping another thing
KEPT = ("name", "summary")  # of the base scenario, which members get from the set
SEED = "$seed"  # in a change: the seed of the run

Change = dict[str, Any]


class Variation(Block):
    """Settings that the members have in common, and those in which they differ."""

    base: str = Field(
        description="shipped scenario, or YAML file; of another set a member with every seed, in "
        "turn, so that the same is compared on many paths"
    )
    change: Change = Field(default_factory=dict)
    vary: dict[str, dict[str, Change]] = Field(
        min_length=1, description="axis -> variant -> change"
    )
    also: dict[str, Change] = Field(
        default_factory=dict, description="labels joined by hyphens -> change of that member"
    )
    refused: tuple[str, ...] = Field(
        default=(), description="labels of members that their controllers refuse, which is a result"
    )
    about: dict[str, dict[str, str]] = Field(
        default_factory=dict, description="axis -> variant -> what a reader should know of it"
    )
    show: tuple[str, ...] = Field(
        default=(), description="metrics of the table; none: the usual columns"
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

    @model_validator(mode="after")
    def _known_labels(self) -> Self:
        known = {"-".join(labels) for labels in product(*self.vary.values())}
        for where, given in (("also", self.also), ("refused", self.refused)):
            for labels in given:
                if labels not in known:
                    raise ValueError(
                        f"{where} names '{labels}', which is no combination of the variants; "
                        f"write e.g. '{min(known)}'"
                    )
        for axis, variants in self.about.items():
            for label in variants:
                if label not in self.vary.get(axis, {}):
                    raise ValueError(f"about: axis '{axis}' has no variant '{label}'")
        return self


class ScenarioSet(Block):
    """A named set, as in its file."""

    name: Name
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


def members(chosen: ScenarioSet, base: Scenario, seed: int = 0) -> tuple[Member, ...]:
    """All members, the last axis changing fastest.

    Args:
        seed: for which `$seed` stands.

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
        data = _changed(data, chosen.set.also.get("-".join(labels), {}), where)
        data = _seeded(data, seed) | {
            "name": f"{chosen.name}-{'-'.join(labels)}",
            "summary": f"{chosen.summary}: {', '.join(labels)}",
        }
        complete.append(Member(labels, validated(Scenario, data, where)))
    return tuple(complete)


def _changed(data: Mapping[str, Any], change: Change, where: str) -> dict[str, Any]:
    for key in KEPT:
        if key in change:
            raise BoaError(
                f"{where}: '{key}' cannot be changed; members are named after the set and "
                f"their variants"
            )
    return merged(data, change)


def _seeded(data: Any, seed: int) -> Any:
    """The data with the seed in place of the word for it."""
    if isinstance(data, Mapping):
        return {key: _seeded(value, seed) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_seeded(value, seed) for value in data]
    return seed if data == SEED else data


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
