# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A pseudo-terminal under a stable path, which ends with the process that serves it.

A link to /dev/pts/7 would outlive a killed process, and the next terminal that somebody opens may
be /dev/pts/7. So the link leads through /proc/<process>/fd: without the process it leads nowhere.
What a killed process leaves in the temporary folder the next one removes.
"""

import contextlib
import os
import re
import shutil
import tempfile
import tty
import weakref
from pathlib import Path

PREFIX = "boa-emulated-"


class PortFolder:
    """A folder for links to ports, in the folder for temporary files. It is removed by `remove`,
    else with this object, and at the latest when the process ends in an orderly way.
    """

    def __init__(self) -> None:
        remove_orphans()
        self.path = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
        self._remove = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    def remove(self) -> None:
        """With all links in it. May be called twice."""
        self._remove()


def remove_orphans() -> None:
    """Remove the folders of processes that are no more."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        match = re.fullmatch(rf"{PREFIX}(\d+)-.*", folder.name)
        if match is not None and not _alive(int(match[1])):
            shutil.rmtree(folder, ignore_errors=True)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's
        return True
    return True


class Terminal:
    """A pseudo-terminal in raw mode whose host end appears at `path`.

    Attributes:
        path: what a host opens.
        master: this end, non-blocking.
        slave: the host's end, kept open so that the terminal lives without a host.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.master, self.slave = os.openpty()
        for end in (self.master, self.slave):
            tty.setraw(end)
        os.set_blocking(self.master, False)
        through_process = Path(f"/proc/{os.getpid()}/fd/{self.slave}")
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        path.symlink_to(through_process if through_process.exists() else os.ttyname(self.slave))

    def close(self) -> None:
        """Vanish, as an adapter that is unplugged. Call it once."""
        self.path.unlink(missing_ok=True)
        os.close(self.master)
        os.close(self.slave)
