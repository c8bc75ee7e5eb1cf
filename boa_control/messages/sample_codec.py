# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Samples of a sensor as messages, and back: the interface of every sensor's codec."""

from collections.abc import Sequence
from typing import Any, Protocol

from boa_control.plant import Sample


class SampleCodec(Protocol):
    """A sensor's sample as one or more messages of its topic, and back. A codec is a subclass."""

    def encode(self, sample: Any) -> Sequence[bytes]:
        """Serialise one sample."""

    def encode_many(self, samples: Sequence[Any]) -> Sequence[Sequence[bytes]]:
        """Serialise one or more samples, in order; a bag has many at once."""
        return [self.encode(sample) for sample in samples]

    def decode(self, raw: bytes) -> Sample | None:
        """Take one message; returns the sample that it completes. Raises MessageError."""

    def decode_many(self, raws: Sequence[bytes]) -> Sequence[Sample | None]:
        """What `decode` returns of each of many messages, in order."""
        return [self.decode(raw) for raw in raws]

    def reset(self) -> None:
        """Drop what is not complete; for time that starts again. Nothing, where every message is a
        whole sample.
        """
        return
