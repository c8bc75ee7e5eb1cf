# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa scenarios`: what there is to run, one line each."""

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """No arguments."""


def main(_: argparse.Namespace) -> None:
    """Print name and summary of every shipped scenario and set."""
    from boa_control.experiments.library import scenario_names, set_names, summary

    names = sorted((*scenario_names(), *set_names()))
    width = max(map(len, names), default=0)
    for name in names:
        print(f"{name:<{width}}  {summary(name)}")
