# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One program per serial line: an exclusive lock on a tty, and who holds it.

The lock is `flock` on the device, as pyserial's `exclusive=True` takes it, so both refuse each
other. It ends with the process, however that ends.
"""

import contextlib
import fcntl
import os
import textwrap
from pathlib import Path

LONGEST = 100  # characters of a command line that are shown


class TtyBusyError(OSError):
    """Another program has the tty; the message says who."""


class TtyLock:
    """The exclusive lock on a tty, from its making until `release`.

    Take it before anything is sent: a second program that opens the line and sends set-up
    commands would end the first one's work.

    Args:
        device: path of the tty; what is no device (an address of a network port) is not locked.

    Raises:
        TtyBusyError: another program has it.
        OSError: it cannot be opened.
    """

    def __init__(self, device: str) -> None:
        self._descriptor: int | None = None
        if "://" in device:
            return
        descriptor = os.open(device, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise TtyBusyError(f"{device} is used by {holder(device)}") from None
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor

    def release(self) -> None:
        """Let others have it. May be called twice."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def in_use(device: str) -> str | None:
    """Who has a tty; None where it is free, or cannot be opened at all."""
    try:
        TtyLock(device).release()
    except TtyBusyError:
        return holder(device)
    except OSError:
        return None
    return None


def holder(device: str) -> str:
    """Who has locked a tty, in words: number and command line of the process, as far as the system
    tells.
    """
    pid = _locked_by(device)
    if pid is None:
        return "another program"
    if pid == os.getpid():
        return "this program itself"
    words = ""
    with contextlib.suppress(OSError):
        words = (
            Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        )
        words = textwrap.shorten(words, LONGEST, placeholder=" ...")
    return f"process {pid}" + (f" ({words})" if words else "")


def _locked_by(device: str) -> int | None:
    """Process that holds a `flock` on the device, from the kernel's table of locks."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        inode = Path(device).stat().st_ino
        for line in Path("/proc/locks").read_text(encoding="ascii").splitlines():
            fields = line.split()  # "1: FLOCK ADVISORY WRITE 4711 00:1a:5 0 EOF"
            if fields[1] != "FLOCK" or int(fields[5].split(":")[2]) != inode:
                continue
            if int(fields[4]) > 0 and _same_device(fields[5], device):
                return int(fields[4])
    return None


def _same_device(entry: str, device: str) -> bool:
    major, minor, _ = entry.split(":")
    place = Path(device).stat().st_dev
    return (int(major, 16), int(minor, 16)) == (os.major(place), os.minor(place))
