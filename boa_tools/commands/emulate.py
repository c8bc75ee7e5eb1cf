"""`boa emulate`: the emulated robot behind a serial port and a CAN channel."""

from __future__ import annotations

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the emulator's own arguments."""
    from boa_hardware.emulator.main import configure as emulator_arguments

    emulator_arguments(parser)


def main(arguments: argparse.Namespace) -> int | None:
    """Run the emulator until it is stopped."""
    from boa_hardware.emulator.main import main as emulate

    return emulate(arguments)
