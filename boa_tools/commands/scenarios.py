"""`boa scenarios`: what there is to run, one line each."""

from __future__ import annotations

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """No arguments."""


def main(_: argparse.Namespace) -> None:
    """Print name and summary of every shipped scenario."""
    from boa_control.library import load_scenario, scenario_names

    names = scenario_names()
    width = max(map(len, names), default=0)
    for name in names:
        print(f"{name:<{width}}  {load_scenario(name).summary}")
