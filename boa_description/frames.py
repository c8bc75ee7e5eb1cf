# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Names of frames, and of the things in the MuJoCo model, in one place.

Frame `link_XX` sits at the tail-side joint axis of its link, x to the head, y left, z up (REP 103).
Link numbers in names start at 1 (tail), as the lab counts; arrays start at 0.
"""

WORLD = "world"  # fixed; obstacles and paths are given in it
# those of REP 105: the map is the world; where the robot's own motion begins; its middle link
MAP, ODOM, BASE_LINK = "map", "odom", "base_link"
HEAD = "head"  # at the head-side end of the spine of the last link, oriented as that link

BASE_JOINTS = ("base_x", "base_y", "base_yaw")  # pose of link 1's tail-side end in the world
FREE_JOINT = "base_free"  # instead of the three above where the base moves in space
MOUNT = "mount"  # fixed joint of a robot that is bolted to the world

FLOOR_GEOM = "floor"  # the lowest part; others are `slab_geom`

OVERHEAD_CAMERA = "overhead"
CHASE_CAMERA = "chase"
SIDE_CAMERA = "side"


def prefixed(prefix: str, frame: str) -> str:
    """Name of a robot's frame among those of several robots; world and map are those of all."""
    return frame if frame in (WORLD, MAP) else prefix + frame


def link_geom(link: str) -> str:
    """First capsule of a link (`link_geoms`); nothing else of the robot touches anything."""
    return f"{link}_geom"


def link_geoms(link: str, track: float) -> tuple[str, ...]:
    """Capsules of a link: one, or with a track the left and the right one."""
    return (link_geom(link),) if track == 0 else (link_geom(link), f"{link}_right_geom")


def slab_geom(index: int) -> str:
    """A part of a floor with steps and gaps, from 0."""
    return f"{FLOOR_GEOM}_{index:02d}"


def imu_frame(link: str) -> str:
    """Frame and MuJoCo site of a link's IMU: the link centre, oriented as the link."""
    return f"{link}_imu"


def gyro(link: str) -> str:
    """MuJoCo sensor: angular velocity in the IMU frame, rad/s."""
    return f"{link}_gyro"


def accelerometer(link: str) -> str:
    """MuJoCo sensor: acceleration in the IMU frame, m/s2."""
    return f"{link}_accelerometer"


def force_frame(joint: str) -> str:
    """Frame, MuJoCo site and MuJoCo sensor of a joint's force sensor: at the joint axis, oriented
    as link i + 1.
    """
    return f"{joint}_force"


def motor(joint: str) -> str:
    """MuJoCo actuator of a joint; its control is the joint torque in N m."""
    return f"{joint}_motor"


def rotor(joint: str) -> str:
    """Body and MuJoCo joint of a motor's side of a gearbox with backlash, at the joint's rate."""
    return f"{joint}_rotor"


def obstacle_geom(index: int) -> str:
    """Obstacle by its index in the scene, from 0."""
    return f"obstacle_{index:03d}"
