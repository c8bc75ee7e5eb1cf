# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Errors of the servo bus. No reply is apart from a servo's own refusal."""

from boa_control.plant import PlantError
from boa_hardware.servo.protocol import describe_error


class NoReplyError(PlantError, ConnectionError):
    """A servo did not answer, or only with damaged packets."""


class SpoiltReplyError(NoReplyError):
    """A servo is there, but its answers cannot be used: too late, garbled, or to pings only."""


class BusGoneError(PlantError, ConnectionError):
    """The serial port cannot be opened or has vanished (unplugged)."""


class ServoRefusedError(PlantError):
    """A servo answered that it does not carry out an instruction.

    Attributes:
        servo: ID.
        error: error byte of its status packet.
    """

    def __init__(self, servo: int, error: int, what: str) -> None:
        super().__init__(f"servo {servo} refused {what}: {describe_error(error)}")
        self.servo = servo
        self.error = error


class BringUpError(PlantError):
    """The servos are not as they must be; the message lists every difference with its remedy."""
