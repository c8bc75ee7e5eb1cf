# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Types of command line arguments."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from boa_tools.commands.arguments import seeds, yaml_file


def test_seeds_are_the_first_ones_or_a_range() -> None:
    assert seeds("3") == range(3)
    assert seeds("200-229") == range(200, 230)
    assert seeds("0-0") == range(1)


@pytest.mark.parametrize("text", ["a-b", "3-1", "-1", "1-", "1-2-3"])
def test_seeds_that_are_no_range_are_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="FIRST-LAST"):
        seeds(text)


@pytest.mark.parametrize("text", ["", "0", "x", "1.5"])
def test_no_seeds_are_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="above zero"):
        seeds(text)


@pytest.mark.parametrize(
    ("text", "path"),
    [("way", "way.yaml"), ("ways/to.yml", "ways/to.yml"), ("v1.0/way", "v1.0/way.yaml")],
)
def test_a_file_of_yaml_says_so_in_its_name(
    text: str, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(path).parent.mkdir(exist_ok=True)
    assert yaml_file(text) == Path(path)


@pytest.mark.parametrize("text", ["way.csv", "way.png"])
def test_yaml_is_not_written_under_another_name(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=r"does not end in \.yaml"):
        yaml_file(text)


@pytest.mark.parametrize("text", [".", "not_there/"])
def test_a_folder_is_no_file(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="folder; name a file"):
        yaml_file(text)
