# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a visitor of the 3-D scene sets: from where it is seen, whether the view follows the robot,
and which link says its values.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import viser

from boa_description.arrays import Array

# where the camera stands, in lengths of the robot: ahead, to the left, up
VIEWS = {
    "behind": (-1.0, 0.0, 0.5),
    "side": (0.0, -0.9, 0.35),
    "above": (-0.01, 0.0, 1.2),  # not straight down: what is up in the picture stays defined
    "ahead": (1.0, 0.0, 0.5),
}
INVITATION = "Click a link to see its values."


class SceneControls:
    """The panel of a viser server.

    Attributes:
        heading: of the robot, rad, in which direction the views are.
    """

    def __init__(self, server: viser.ViserServer, reach: float, joints: int) -> None:
        """`reach`: length of the robot, m. `joints`: their number."""
        self.heading = 0.0
        self._reach, self._joints = reach, joints
        self._link: int | None = None
        self._following = server.gui.add_checkbox("Follow the robot", True)
        buttons = server.gui.add_button_group("Seen from", tuple(VIEWS))
        buttons.on_click(self._look)
        self._values = server.gui.add_markdown(INVITATION)

    @property
    def following(self) -> bool:
        """Whether the view keeps the robot in its middle."""
        return bool(self._following.value)

    def pick(self, link: int) -> None:
        """Show the values of a link, an index from the tail; not any more where it is shown."""
        self._link = None if link == self._link else link

    def show(self, snapshot: Mapping[str, Any]) -> None:
        """Write the values of the link that was picked."""
        told = INVITATION if self._link is None else link_values(snapshot, self._link, self._joints)
        if told != self._values.content:
            self._values.content = told

    def camera(self, view: str) -> Array:
        """Where the camera stands for one of the `VIEWS`, from the robot's middle, (3,), m."""
        ahead, left, up = self._reach * np.array(VIEWS[view])
        c, s = np.cos(self.heading), np.sin(self.heading)
        return np.array([c * ahead - s * left, s * ahead + c * left, up])

    def _look(self, event: viser.GuiEvent[Any]) -> None:
        if event.client is None:
            return
        with event.client.atomic():
            event.client.camera.position = self.camera(event.target.value)
            event.client.camera.look_at = (0.0, 0.0, 0.0)


def link_values(snapshot: Mapping[str, Any], link: int, joints: int) -> str:
    """A link's joints and the forces of posts or floor on it, as Markdown.

    Args:
        snapshot: as `Snapshot.content` writes it.
        link: an index from the tail; joint j is between the links j and j + 1.
        joints: of the robot.
    """
    # link, post, where and force of a contact: two numbers each in the plane, three in space
    force = sum(
        (
            np.array(row[len(row) // 2 + 1 :], float)
            for row in snapshot["contacts"]
            if row[0] == link
        ),
        np.zeros(1),
    )
    angles = snapshot["pose"][-joints:]
    lines = [f"**Link {link + 1}**", "", "| joint | deg | N m | N |", "|---|---|---|---|"]
    for joint in (link - 1, link):
        if 0 <= joint < joints:
            angle = "–" if angles[joint] is None else f"{np.degrees(angles[joint]):.1f}"
            cells = (angle, _cell(snapshot["torque"], joint), _cell(snapshot["joint_force"], joint))
            lines.append(f"| {joint + 1} | " + " | ".join(cells) + " |")
    return "\n".join((*lines, "", f"Forces on it: {np.linalg.norm(force):.1f} N"))


def _cell(values: Sequence[float | None], index: int) -> str:
    value = values[index] if index < len(values) else None
    return "–" if value is None else f"{value:.2f}"
