# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Other people's tools against the emulated robot: `python examples/interop/run.py [--short]`.

Starts `boa emulate`, makes a virtual environment with the clients of `requirements.txt`, runs
`clients.py` in it and prints a table. Status 1 when a check fails.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

HERE = Path(__file__).parent
EMULATE = [sys.executable, "-m", "boa_tools.cli", "emulate"]


def main() -> int:
    """Run the clients; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="fewer repeats, for CI")
    parser.add_argument("--pypot", action="store_true", help="pypot, too (GPL)")
    parser.add_argument(
        "--python", help="a Python that has the clients (default: a new virtual environment)"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        python = arguments.python or environment(Path(folder), pypot=arguments.pypot)
        words = ["--short"] * arguments.short + ["--pypot"] * arguments.pypot
        with subprocess.Popen(EMULATE, stdout=subprocess.PIPE, text=True) as emulator:
            assert emulator.stdout is not None
            port, channel = (emulator.stdout.readline().strip() for _ in range(2))
            try:
                clients = [python, str(HERE / "clients.py"), port, channel, *words]
                return subprocess.run(clients, check=False).returncode
            finally:
                emulator.terminate()


def environment(folder: Path, *, pypot: bool) -> str:
    """A virtual environment with the clients; its Python."""
    venv.create(folder, with_pip=True)
    python = str(folder / "bin" / "python")
    files = ["requirements.txt", *(["requirements-pypot.txt"] if pypot else [])]
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for file in files:
        install += ["-r", str(HERE / file)]
    subprocess.run(install, check=True)
    return python


if __name__ == "__main__":
    sys.exit(main())
