# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The wording of errors about names."""

from __future__ import annotations

import pytest

from boa_description.errors import unknown_name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("boa31", "unknown robot 'boa31'; did you mean 'boa3'? Valid: boa13, boa3"),
        ("xyz", "unknown robot 'xyz'. Valid: boa13, boa3"),
    ],
)
def test_unknown_names(name: str, expected: str) -> None:
    assert str(unknown_name("robot", name, ["boa3", "boa13"])) == expected


def test_unknown_name_without_any_valid_one_says_where() -> None:
    assert (
        str(unknown_name("key", "a", [], "file.yaml")) == "file.yaml: unknown key 'a'. Valid: none"
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("post_9", "unknown scenario 'post_9'; did you mean 'post_3' or 'post_2' or 'post_1'? "),
        ("xyz", "unknown scenario 'xyz'. "),
    ],
)
def test_of_many_names_the_nearest_and_the_command_that_lists_them(
    name: str, expected: str
) -> None:
    names = [f"post_{number}" for number in range(4)]
    error = unknown_name("scenario", name, names, listed_by="boa scenarios")
    assert str(error) == f"{expected}All of them: boa scenarios"
