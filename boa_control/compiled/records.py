# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kernels that take records: named tuples of arrays and numbers, with the types of their hints.

A tuple of Python costs numba 0.3 us more for each field than the same field as an argument of its
own. So such a kernel is compiled for all fields in a row and puts its records together itself,
which costs compiled code nothing.

Any tuple with the fields in order will do: where every microsecond counts callers pass plain ones,
which are made 0.4 us sooner.

Records are defined in the file of their kernels: numba compiles these anew when that file changes,
and looks at no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any, NamedTuple, get_type_hints

import numpy as np
from numpy.typing import NDArray

from boa_control.compiled import compiled, inner
from boa_description.arrays import Array, Flags, Indices

# arrays as numba names their types; rows lie one after the other
Vector = Annotated[Array, "f8[::1]"]
Matrix = Annotated[Array, "f8[:, ::1]"]
Cube = Annotated[Array, "f8[:, :, ::1]"]
IndexVector = Annotated[Indices, "i8[::1]"]
FlagVector = Annotated[Flags, "b1[::1]"]
FlagMatrix = Annotated[Flags, "b1[:, ::1]"]
CodeVector = Annotated[NDArray[np.int32], "i4[::1]"]
PointVector = Annotated[NDArray[np.complex128], "c16[::1]"]
SCALARS = {float: "f8", int: "i8", bool: "b1", complex: "c16", type(None): "void"}


class _Argument(NamedTuple):
    """An argument of a kernel.

    Attributes:
        fields: names of its fields, or its own name.
        types: of these, as numba names them.
        made: expression that makes it of its fields. taken: statement that takes it apart.
    """

    fields: list[str]
    types: list[str]
    made: str
    taken: str

    @classmethod
    def of(cls, name: str, hint: Any) -> _Argument:
        if not hasattr(hint, "_fields"):
            return cls([name], [_type(hint)], name, "")
        fields = [f"{name}_{field}" for field in hint._fields]
        parts = get_type_hints(hint, include_extras=True).values()
        made = f"{hint.__name__}({', '.join(fields)})"
        return cls(
            fields, [_type(part) for part in parts], made, f"({', '.join(fields)},) = {name}; "
        )


def on_records(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: compile a function for the types of its hints, some of which are records.

    Raises:
        KeyError: a hint is none of the types above.
    """
    hints = get_type_hints(function, include_extras=True)
    returned = _type(hints.pop("return"))
    arguments = [_Argument.of(name, hint) for name, hint in hints.items()]
    fields = [field for argument in arguments for field in argument.fields]
    types = [kind for argument in arguments for kind in argument.types]
    records = {hint.__name__: hint for hint in hints.values() if hasattr(hint, "_fields")}
    made = ", ".join(argument.made for argument in arguments)
    flat = _calling(function, fields, f"return _target({made})", inner(function), records)
    kernel = compiled(f"{returned}({', '.join(types)})")(flat)
    # twice as fast as a call with stars
    taken = "".join(argument.taken for argument in arguments)
    return _calling(function, hints, f"{taken}return _target({', '.join(fields)})", kernel, {})


def _type(hint: Any) -> str:
    """Of a number or an array, as numba names it."""
    kind: str = hint.__metadata__[0] if hasattr(hint, "__metadata__") else SCALARS[hint]
    return kind


def _calling(
    function: Callable[..., Any],
    arguments: Iterable[str],
    body: str,
    target: Callable[..., Any],
    names: dict[str, Any],
) -> Callable[..., Any]:
    """A function of one line that calls `target`, at the place of `function`, for whose file numba
    keeps it. `body`: statements with its arguments, `_target` and other `names`.
    """
    source = f"def {function.__name__}({', '.join(arguments)}): {body}"
    code = function.__code__
    lines = "\n" * (code.co_firstlineno - 1) + source
    scope = {"__name__": function.__module__, "_target": target, **names}
    exec(compile(lines, code.co_filename, "exec"), scope)
    made: Callable[..., Any] = scope[function.__name__]
    made.__doc__ = function.__doc__
    return made
