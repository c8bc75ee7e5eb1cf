# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One kind of frame, decoded as its cantools message says, but fast: some thousand frames come per
second.

cantools takes a frame apart bit by bit for any layout that a DBC file can have. The Spine's frames
are whole numbers and floats on byte boundaries, one after the other, so the layout that cantools
knows is turned into one `struct` here.
"""

import struct

from cantools.database import Message
from cantools.database.can import Signal

# bits, signed, float
_CODES = {
    (8, True, False): "b",
    (8, False, False): "B",
    (16, True, False): "h",
    (16, False, False): "H",
    (32, True, False): "i",
    (32, False, False): "I",
    (32, True, True): "f",
}


class Decoder:
    """Turns payloads into physical values, in the order of the signals.

    Args:
        layout: the frame.

    Raises:
        ValueError: it has gaps, bit fields or mixed byte orders.
    """

    def __init__(self, layout: Message) -> None:
        signals = sorted(layout.signals, key=_first_byte)
        order = {signal.byte_order for signal in signals}
        codes = [
            _CODES.get((signal.length, signal.is_signed, signal.is_float)) for signal in signals
        ]
        ends = [0, *(_first_byte(signal) + signal.length // 8 for signal in signals)]
        gapless = [_first_byte(signal) for signal in signals] == ends[:-1]
        if None in codes or len(order) != 1 or not gapless:
            raise ValueError(
                f"frame {layout.name} is not a row of plain numbers; cantools has to decode it"
            )
        mark = "<" if order == {"little_endian"} else ">"
        self._struct = struct.Struct(
            mark + "".join(map(str, codes)) + f"{layout.length - ends[-1]}x"
        )
        self._scales = [(float(signal.scale), float(signal.offset)) for signal in signals]
        self.names = tuple(signal.name for signal in signals)

    def values(self, data: bytes | bytearray) -> list[float] | None:
        """Physical values, perhaps not finite; None where the length is wrong."""
        if len(data) != self._struct.size:
            return None
        raw = self._struct.unpack(data)
        return [
            number * scale + offset
            for number, (scale, offset) in zip(raw, self._scales, strict=True)
        ]


def _first_byte(signal: Signal) -> int:
    return int(signal.start) // 8
