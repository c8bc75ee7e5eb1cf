# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Who may command torques: one publisher, the one that commanded first. Pure functions.

Two sources are two wills: neither knows the torques of the other, and what the joints get is a
mixture that nobody has planned. So an armed plant belongs to one publisher, and whoever connects
besides is a fault.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from boa_control.plant import PlantError
from boa_control.safety.faults import Fault, FaultName

FAST_DDS = b"\x01\x0f"  # how its identities begin
PLAYER = "rosbag2_player"  # the node of `ros2 bag play`


@dataclass(frozen=True, slots=True)
class TorqueSource:
    """A publisher of torque commands.

    Attributes:
        identity: of the publisher, not of its node; never used twice in a ROS domain.
        node: full name of its node.
    """

    identity: bytes
    node: str

    @property
    def whereabouts(self) -> str:
        """GID as `ros2 topic info -v` prints it, and what Fast DDS puts there: a number of the host
        and the lower 16 bits of the process id.
        """
        text = f"GID {self.identity.hex('.')}"
        if not self.identity.startswith(FAST_DDS) or len(self.identity) < 6:
            return text
        host, process = self.identity[2:4].hex(), int.from_bytes(self.identity[4:6], "little")
        return f"{text}, host {host}, process {process}"


def names_of(sources: Sequence[TorqueSource]) -> list[str]:
    """Names of nodes, with more about those that have the name of another."""
    nodes = [source.node for source in sources]
    return [
        f"{source.node} ({source.whereabouts})" if nodes.count(source.node) > 1 else source.node
        for source in sources
    ]


@dataclass(frozen=True, slots=True)
class SourceState:
    """Whose commands count while the plant is armed.

    Attributes:
        owner: the publisher that was there when the plant was armed; None: nobody was.
        connections: how many publishers had ever connected when the plant was armed.
    """

    owner: TorqueSource | None
    connections: int


def claim(present: tuple[TorqueSource, ...], connected: int, connections: int) -> SourceState:
    """The plant is armed for the publisher that is present.

    Args:
        present: publishers whose names are known.
        connected: publishers connected now, known by name or not.
        connections: all that have ever been made.

    Raises:
        PlantError: there are several, or the one plays a bag.
    """
    several = max(len(present), connected)
    if several > 1:
        names = sorted(names_of(present))
        names += ["one whose name is not known yet"] * (several - len(present))
        raise PlantError(
            f"cannot arm, {several} publishers of torque_command: {' and '.join(names)}; "
            "stop all but one"
        )
    for source in present:
        if source.node.rpartition("/")[2] == PLAYER:
            raise PlantError(
                f"cannot arm, {source.node} plays the torque_command of a bag; play it under "
                f"another name, --remap torque_command:=played/torque_command"
            )
    return SourceState(present[0] if present else None, connections)


def second_appeared(state: SourceState, connections: int) -> bool:
    """Whether somebody besides the owner has connected, even if only for a moment.

    Where nobody published while the plant was armed, the first to connect owns it. Needs no names,
    and so no time: torque is removed before it is asked who it was.
    """
    allowed = 0 if state.owner is not None else 1
    return connections - state.connections > allowed


def sources_fault(state: SourceState, present: tuple[TorqueSource, ...]) -> Fault:
    """The fault of a second source, with the names of both."""
    first = [] if state.owner is None else [state.owner]
    known = {source.identity for source in first}
    others = sorted((it for it in present if it.identity not in known), key=lambda it: it.node)
    names = names_of([*first, *others])
    names += ["a publisher that has gone again"] * (2 - len(names))
    text = f"{' and '.join(names)} command torques; stop all but one, reset the fault, arm again"
    return Fault(FaultName.TWO_TORQUE_SOURCES, "command", text)
