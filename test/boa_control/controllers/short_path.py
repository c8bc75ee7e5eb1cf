# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A new path of 4 m with two contacts among three posts."""

from __future__ import annotations

from boa_control.controllers.new_path import NewPath

POSTS = [
    {"x": 1.0, "y": 0.09, "radius": 0.05},
    {"x": 3.0, "y": 1.0, "radius": 0.05},
    {"x": 2.0, "y": -0.09, "radius": 0.05},
]
PATH = {
    "kind": "segments",
    "start": [0.0, 0.0],
    "heading": 0.0,
    "segments": [[4.0, 0.0]],
    "posts": POSTS,
    "contacts": [{"post": 2, "side": "R", "s": 2.0}, {"post": 0, "side": "L", "s": 1.0}],
}


def new_path(**more: object) -> NewPath:
    return NewPath.model_validate({"path": PATH, "leaves": 2.5, "progress": 1.5, **more})
