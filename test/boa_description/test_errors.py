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
