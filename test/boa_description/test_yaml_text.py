# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Wrong YAML: the line in the file, what is wrong there, and nothing of the reader's own
clutter.
"""

from __future__ import annotations

import re

import pytest

from boa_description.errors import BoaError
from boa_description.yaml_text import parse_yaml, read_text

# text -> line of the mistake (counted by hand), what is said of it
WRONG = {
    "name: a\nlink:\n  mass: 1\n  pitch: 2\n  mass: 3\n": (
        5,
        "key 'mass' is given twice, first in line 3",
    ),
    "name: a\nlink: {mass: 1, mass: 2}\n": (2, "key 'mass' is given twice, first in line 2"),
    "name: a\n\n\nname: a\n": (4, "key 'name' is given twice, first in line 1"),
    "1: a\n2: b\n1: a\n": (3, "key '1' is given twice, first in line 1"),
    "name: a\nlink:\n\tmass: 1\n": (3, "indent with spaces, not tabs"),
    "name: a\nlist: [1, 2\nb: 3\n": (3, "flow sequence that begins in line 2"),
    "name: a\n mass: 1\n": (2, "mapping values are not allowed here"),
    "name: 'a\n\nb: c\n": (4, "quoted scalar that begins in line 1"),
    "name: a\nb: c\0\n": (2, "unacceptable character #x0000"),
    "name: a\nb: *c\n": (2, "undefined alias 'c'"),
    "name: a\nb: !python/name:os.system\n": (2, "tag"),
    "{a: 1}: 2\n": (1, "unhashable key"),
}


@pytest.mark.parametrize("text", WRONG)
def test_the_line_is_named(text):
    line, says = WRONG[text]
    with pytest.raises(BoaError) as caught:
        parse_yaml(text, "mine.yaml")
    message = str(caught.value)
    assert message.startswith(f"mine.yaml, line {line}: not valid YAML: "), message
    assert says in message
    assert not re.search(r"[<^\n\t]", message.replace("<stream end>", "")), message


def test_equal_keys_of_different_blocks_are_no_mistake():
    assert parse_yaml("a: {x: 1}\nb: {x: 1}\nc: [{x: 1}, {x: 2}]\n", "mine.yaml")["b"] == {"x": 1}


def test_a_file_in_another_encoding(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_bytes("name: a\nsummary: für\n".encode("latin-1"))
    with pytest.raises(
        BoaError, match="line 2: not valid YAML: not UTF-8; save the file in that encoding"
    ):
        read_text(path)


def test_a_folder_is_not_a_file(tmp_path):
    with pytest.raises(BoaError, match=r"cannot be read \(Is a directory\)"):
        read_text(tmp_path)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("name: a\nlist: " + "[" * 100_000, 2),
        ("a: " + "{b: " * 101 + "1" + "}" * 101, 1),
        ("name: a\n" + "- " * 20_000 + "a", 2),
        ("\n".join(" " * k + "a:" for k in range(2000)), 201),
    ],
)
def test_what_is_nested_too_deeply_is_refused_before_it_is_read(text: str, line: int) -> None:
    """libyaml crashed on the first, and took half a minute for the last."""
    with pytest.raises(BoaError, match=rf"mine\.yaml, line {line}: nested deeper than 100 levels"):
        parse_yaml(text, "mine.yaml")


def test_what_files_need_is_not_too_deep() -> None:
    text = "a: " + "[" * 99 + "]" * 99
    assert parse_yaml(text, "mine.yaml")["a"] is not None


def test_numbers_of_thousands_of_digits_and_files_that_are_too_long_are_refused() -> None:
    with pytest.raises(BoaError, match=r"mine\.yaml: not valid YAML: .*digits"):
        parse_yaml("a: " + "1" * 200_000, "mine.yaml")
    with pytest.raises(BoaError, match="17 million characters; 16 million"):
        parse_yaml("a: " + "b" * 17_000_000, "mine.yaml")
