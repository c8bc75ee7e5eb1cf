# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Samples of a sensor as messages, and back: the interface of every sensor's codec."""

from collections.abc import Sequence
from typing import Any, Protocol

from boa_control.plant import Sample


class SampleCodec(Protocol):
    """A sensor's sample as a message of its topic, and back. A codec is a subclass."""

    def encode(self, sample: Any) -> bytes:
        """Serialise one sample."""

    def encode_many(self, samples: Sequence[Any]) -> Sequence[bytes]:
        """Serialise one or more samples, in order; a bag has many at once."""
        return [self.encode(sample) for sample in samples]

    def decode(self, raw: bytes) -> Sample:
        """Read one sample. Raises MessageError."""

    def decode_many(self, raws: Sequence[bytes]) -> Sequence[Sample]:
        """What `decode` returns of each of many messages, in order."""
        return [self.decode(raw) for raw in raws]
