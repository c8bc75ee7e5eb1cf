# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The scene in three dimensions, on viser: robot, posts, path and force arrows."""

from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import numpy as np
import trimesh
import viser

from boa_description import colours
from boa_description.arrays import Array
from boa_description.colours import bytes_of
from boa_tools.view.bodies import NO_ARROWS, TALL, body_of
from boa_tools.view.scene_controls import SceneControls

ROBOT, HEAD = (38, 92, 140), (240, 150, 30)
POST, PATH, PLAN = (120, 128, 138), bytes_of(colours.PATH), bytes_of(colours.PLAN)
PATH_HEIGHT = 0.004  # m
FORCE, ESTIMATE = bytes_of(colours.TRUE_FORCE), bytes_of(colours.ESTIMATED_FORCE)
FLOOR_TILE = 0.5  # m
FLOOR_REACH = 20.0  # m to each side
SLAB, SLAB_WIDTH = 0.02, 3.0  # m, least height and width of the pieces of a floor with steps
FOLLOW = 0.3  # share of the way to the robot's middle that the view goes with each snapshot
AMBIENT = 0.12  # brightness of the surroundings, the only light


class Scene3D:
    """Draws into a viser server of its own, which listens on this machine only.

    Attributes:
        port: where the server listens.
    """

    def __init__(self, scenery: dict[str, Any]) -> None:
        """`scenery` as `state.scenery` makes it."""
        with redirect_stdout(StringIO()):  # its own address is nobody's business
            self._server = viser.ViserServer(host="127.0.0.1", port=free_port(), verbose=False)
        self.port = self._server.get_port()
        self._robot = scenery["robot"]
        self._radius = float(self._robot["radius"])
        self._body = body_of(self._robot, scenery["scene"]["heading"])
        self._reach = float(self._robot["links"]) * float(self._robot["pitch"])
        self._posts = scenery["scene"]["posts"]
        self._light_and_camera()
        self._controls = SceneControls(self._server, self._reach, int(self._robot["links"]) - 1)
        # everything hangs below one frame that moves under the camera, which is the viewer's own
        self._ground = self._server.scene.add_frame("/run", show_axes=False)
        self._draw_floor(scenery["scene"]["floor"])
        self._draw_posts()
        self._links = self._make_links()
        self._arrows = [
            self._server.scene.add_arrows(
                name,
                NO_ARROWS,
                colour,
                shaft_radius=0.15 * self._radius,
                head_radius=0.4 * self._radius,
                head_length=0.8 * self._radius,
            )
            for name, colour in (("/run/forces", FORCE), ("/run/estimates", ESTIMATE))
        ]
        self._shafts = self._server.scene.add_line_segments(
            "/run/uncertainty", NO_ARROWS, ESTIMATE, thickness=3.0, thickness_units="screen"
        )
        self._centre: Array | None = None

    def show_path(self, name: str, points: Array) -> None:
        """Draw a curve on the floor, (m, 2), m, instead of the one with this name."""
        if len(points) < 2:
            return
        raised = np.column_stack((points, np.full(len(points), PATH_HEIGHT)))
        self._server.scene.add_line_segments(
            name,
            np.stack((raised[:-1], raised[1:]), axis=1),
            PLAN if name.endswith("plan") else PATH,
            thickness=2.5,
            thickness_units="screen",
        )

    def _light_and_camera(self) -> None:
        server = self._server
        server.gui.configure_theme(control_width="small", show_logo=False, show_share_button=False)
        server.scene.set_up_direction("+z")
        server.scene.configure_environment_map("studio", environment_intensity=AMBIENT)
        server.scene.configure_default_lights(enabled=False)  # shadows cost much without a GPU
        camera = server.initial_camera
        camera.position = self._body.camera
        camera.look_at = (0.0, 0.0, 0.0)
        camera.up = (0.0, 0.0, 1.0)

    def _draw_floor(self, floor: list[list[float | None]]) -> None:
        """A grid; steps and gaps above it as solid pieces that forces shine through."""
        lowest = min(float(top or 0.0) for _, _, top in floor)
        self._server.scene.add_grid(
            "/run/floor",
            width=2 * FLOOR_REACH,
            height=2 * FLOOR_REACH,
            plane="xy",
            cell_size=FLOOR_TILE,
            position=(0.0, 0.0, lowest),
        )
        if len(floor) == 1:
            return
        for k, (start, end, top) in enumerate(floor):
            left = -FLOOR_REACH if start is None else start
            right = FLOOR_REACH if end is None else end
            high = float(top or 0.0) - lowest + SLAB
            self._server.scene.add_box(
                f"/run/slabs/{k}",
                color=POST,
                opacity=0.4,
                dimensions=(right - left, SLAB_WIDTH, high),
                position=(0.5 * (left + right), 0.0, lowest - SLAB + 0.5 * high),
            )

    def _draw_posts(self) -> None:
        height = TALL * self._radius
        for k, post in enumerate(self._posts):
            if "corners" in post:
                mesh = _prism(np.array(post["corners"]), height)
                self._server.scene.add_mesh_simple(
                    f"/run/posts/{k}", mesh.vertices, mesh.faces, color=POST
                )
        discs = np.array([(p["x"], p["y"], p["r"]) for p in self._posts if "r" in p])
        if len(discs):
            unit = trimesh.creation.cylinder(radius=1.0, height=1.0, sections=32)
            place = np.column_stack((discs[:, :2], np.full(len(discs), 0.5 * height)))
            scale = np.column_stack((discs[:, 2], discs[:, 2], np.full(len(discs), height)))
            self._server.scene.add_batched_meshes_simple(
                "/run/posts/round",
                unit.vertices,
                unit.faces,
                np.tile((1.0, 0.0, 0.0, 0.0), (len(discs), 1)),
                place,
                batched_scales=scale,
                batched_colors=POST,
                flat_shading=True,
                lod="off",
            )

    def _make_links(self) -> list[tuple[list[int], Any]]:
        """Handles of the links, each with the indices of those that it draws."""
        count = int(self._robot["links"])
        colours = np.array([ROBOT] * (count - 1) + [HEAD], dtype=np.uint8)
        colours[1:-1:2] = np.minimum(colours[1:-1:2] + 22, 255)
        made = []
        for k, shape in enumerate(self._body.shapes()):
            links = list(shape.links)
            handle = self._server.scene.add_batched_meshes_simple(
                f"/run/robot/{k}",
                shape.mesh.vertices,
                shape.mesh.faces,
                np.tile((1.0, 0.0, 0.0, 0.0), (len(links), 1)),
                np.zeros((len(links), 3)),
                batched_colors=colours[links],
                lod="off",
            )
            handle.on_click(self._picked(links))
            made.append((links, handle))
        return made

    def _picked(self, links: list[int]) -> Callable[[Any], None]:
        """What a click on one of these does."""

        def pick(event: Any) -> None:
            self._controls.pick(links[event.instance_index or 0])

        return pick

    def show(self, snapshot: dict[str, Any]) -> None:
        """Draw a snapshot, as JSON has it."""
        pose = np.array(snapshot["pose"], float)
        frames = self._body.frames(pose)
        with self._server.atomic():
            for links, handle in self._links:
                handle.batched_positions = frames[links, :3].astype(np.float32)
                handle.batched_wxyzs = np.roll(frames[links, 3:], 1, axis=-1).astype(np.float32)
            self._arrows[0].points = self._body.forces(snapshot["contacts"])
            self._arrows[1].points, far = self._body.estimates(snapshot["estimates"], pose)
            self._shafts.points = far
            self._shafts.colors = np.tile(np.array(ESTIMATE, np.uint8), (len(far), 2, 1))
            self._follow(frames[:, :2].mean(axis=0))
        ahead, left = frames[-1, :2] - frames[0, :2]
        self._controls.heading = float(np.arctan2(left, ahead))
        self._controls.show(snapshot)

    def _follow(self, middle: Array) -> None:
        """Keep the robot in view where that is wanted; jump where it has jumped."""
        if self._centre is not None and not self._controls.following:
            return
        if self._centre is None or np.linalg.norm(middle - self._centre) > 0.5 * self._reach:
            self._centre = middle
        self._centre = self._centre + FOLLOW * (middle - self._centre)
        self._ground.position = (-self._centre[0], -self._centre[1], 0.0)

    def close(self) -> None:
        """End the server."""
        with redirect_stdout(StringIO()):
            self._server.stop()


def free_port() -> int:
    """A port of this machine that nobody uses now."""
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _prism(corners: Array, height: float) -> trimesh.Trimesh:
    """A convex prism that stands on its corners, (4, 2), m."""
    points = np.vstack(
        (np.column_stack((corners, np.zeros(4))), np.column_stack((corners, np.full(4, height))))
    )
    return trimesh.convex.convex_hull(points)
