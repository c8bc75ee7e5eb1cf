# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The process of a local worker: `python -m boa_tools.sweeps.worker FD`, started by
`boa_tools.sweeps.local`, which sends tasks through the pipe with that file descriptor.
"""

from __future__ import annotations

import sys
from multiprocessing.connection import Connection
from typing import Any

from boa_control.priority import freeze_memory, search_seldom
from boa_tools.sweeps.task import run_task


def main() -> None:
    """Do tasks until the other end of the pipe is closed."""
    pipe: Connection[Any, Any] = Connection(int(sys.argv[1]))
    search_seldom()
    frozen = False
    while True:
        try:
            task = pipe.recv()
        except EOFError:
            return
        pipe.send(run_task(task))
        if not frozen:  # the first task has loaded all that the others need
            freeze_memory()
            frozen = True


if __name__ == "__main__":
    main()
