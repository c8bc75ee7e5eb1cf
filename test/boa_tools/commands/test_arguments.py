"""Types of command line arguments."""

from __future__ import annotations

import argparse

import pytest

from boa_tools.commands.arguments import seeds


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
