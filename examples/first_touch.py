# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How hard is the first touch of a post that nobody expected? `python examples/first_touch.py`

Boa moves along a straight line, or along the path of `boa_circle`, in MuJoCo, and its nose meets a
post. The peak of the joint forces is a property of contact and body: damping times closing speed.
With the angles at which a nose on its path meets posts that are on no map, that says how fast it
may go where some may stand. docs/first_touch.md has the tables, and what follows from them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from boa_control.experiments.experiment import Experiment, prepare
from boa_control.experiments.library import load_scenario
from boa_control.model.reference import ReferenceTable
from boa_description.arrays import Array
from boa_description.load import load_robot
from boa_description.robot import Robot
from boa_description.scene import Circle, ContactModel
from boa_sim.engines.mujoco.world import MujocoWorld
from boa_sim.world import Physics
from boa_sim.wrong_map import unmapped

POST = 0.05  # m, radius
STEP = 5e-4  # s
TIME = 0.03  # s after the touch; the peak comes within 5 ms, that of a soft shell later
GAP = 1e-5  # m, before it
STIFFNESS, DAMPING = 200.0, 2.0  # N m/rad, N m s/rad, of the joints that hold the shape
SPEEDS = (0.02, 0.035, 0.04, 0.06, 0.08, 0.1)  # m/s
OFFSETS = (0.0, 0.02, 0.045, 0.06, 0.07, 0.08, 0.085)  # m, of the post from the axis of the nose
LIMITS = 36.0, 45.0  # N; the second less what posts press with before the blow, and itself
SEEDS = range(1000, 1300)  # of posts that are drawn
SCAN = 1e-3  # m of the way, between two places of the nose
PLACES = 6  # on the circle, over one repeat of its shape
SHELLS = {  # MuJoCo's stiffness and damping of contacts
    "as simulated": (-1e4, -220.0),
    "ten times as stiff": (-1e5, -220.0),
    "half the damping": (-1e4, -110.0),
    "a quarter of it": (-1e4, -55.0),
}


class Motion(NamedTuple):
    """A robot on its way.

    Attributes:
        pose: x, y, heading of link 1 and joints, shape (n + 2,), m and rad.
        rate: of the same at 1 m/s along the path.
    """

    pose: Array
    rate: Array


class Touch(NamedTuple):
    """Peaks of one touch, N."""

    contact: float
    joint: float


def straight(robot: Robot) -> Motion:
    """Along the x axis."""
    rate = np.zeros(robot.joints + 3)
    rate[0] = 1.0
    return Motion(np.zeros(robot.joints + 3), rate)


def on_circle(robot: Robot) -> list[Motion]:
    """At PLACES places of the path of boa_circle."""
    path = prepare(load_scenario("boa_circle")).path
    assert path is not None
    table = ReferenceTable(path.curve, robot.links, robot.link.pitch)
    at = [table.at(s) for s in np.arange(PLACES) / PLACES * table.span]
    return [Motion(point.q, point.dq) for point in at]


def first_touch(
    robot: Robot, contact: ContactModel, motion: Motion, speed: float, offset: float
) -> Touch:
    """Let the nose meet a post.

    Args:
        speed: along the path, m/s.
        offset: of the post's centre from the axis of the head link, to the left, m.
    """
    heading = np.exp(1j * (motion.pose[2] + np.cumsum(np.append(0.0, motion.pose[3:]))))
    nose = complex(*motion.pose[:2]) + robot.link.pitch * heading.sum()
    reach = robot.link.radius + POST
    post = nose + heading[-1] * complex(np.sqrt(reach**2 - offset**2) + GAP, offset)
    world = MujocoWorld(
        robot, (Circle(x=post.real, y=post.imag, radius=POST),), Physics(contact=contact, step=STEP)
    )
    base, joints = motion.pose[:3], motion.pose[3:]
    world.place(base, joints)
    world.data.qvel[:] = speed * motion.rate
    contacts, forces = [0.0], [0.0]
    for _ in range(round(TIME / STEP)):
        off = world.joint_position - joints
        rate = world.joint_velocity - speed * motion.rate[3:]
        world.advance(-STIFFNESS * off - DAMPING * rate)
        world.refresh()
        contacts.append(sum(at.normal_force for at in world.truth(0).contacts))
        forces.append(float(np.hypot(*world.joint_force[:, :2].T).max()))
    return Touch(max(contacts), max(forces))


def worst(
    robot: Robot, contact: ContactModel, motions: Sequence[Motion], speed: float, offset: float
) -> Touch:
    """The largest peaks over all motions, with the post on either side of the axis."""
    touches = [
        first_touch(robot, contact, motion, speed, side * offset)
        for motion in motions
        for side in (1, -1)[: 1 + (offset > 0.0)]
    ]
    return Touch(max(touch.contact for touch in touches), max(touch.joint for touch in touches))


def encounters(experiment: Experiment, seeds: Iterable[int]) -> tuple[Array, Array]:
    """How the nose on the path meets posts that are drawn beside it.

    Returns:
        closing: speed at which it closes on each, of that along the path, shape (posts,).
        angle: between the axis of the head link and the post as seen from the nose, rad.
    """
    robot, path, start = experiment.robot, experiment.path, experiment.start_progress
    assert path is not None
    assert start is not None
    assert experiment.scenario.distance is not None
    reference = ReferenceTable(path.curve, robot.links, robot.link.pitch)
    way = np.arange(start, start + experiment.scenario.distance, SCAN)
    head = np.array([reference.at(s).sigma[-2:] for s in way])
    joint, nose = path.curve.position(head[:, 0]), path.curve.position(head[:, 1])
    link = nose - joint
    square = np.einsum("ij,ij->i", link, link)
    closing, angle = [], []
    for seed in seeds:
        (post,) = unmapped(experiment, experiment.obstacles, seed)
        arm = np.array([post.x, post.y]) - joint
        share = np.clip(np.einsum("ij,ij->i", arm, link) / square, 0.0, 1.0)
        gap = np.hypot(*(arm - share[:, None] * link).T) - post.radius - robot.link.radius
        touched = int(np.argmax(gap < 0.0))
        if touched > 0:
            beside = arm[touched] - link[touched]
            ahead = beside @ link[touched] / np.sqrt(square[touched]) / np.hypot(*beside)
            closing.append((gap[touched - 1] - gap[touched]) / SCAN)
            angle.append(np.arccos(np.clip(ahead, 0.0, 1.0)))
    return np.array(closing), np.array(angle)


def shares(robot: Robot, motions: Sequence[Motion]) -> None:
    """How many first touches exceed a joint force, by speed."""
    reach = robot.link.radius + POST
    angles = np.arcsin(np.array(OFFSETS) / reach)
    blows = np.array(
        [worst(robot, ContactModel(), motions, 0.1, offset).joint for offset in OFFSETS]
    )
    per_closing = blows / (0.1 * np.cos(angles))  # N s/m
    for into in ((0.005, 0.02), (0.005, 0.045)):
        scenario = load_scenario("boa_unmapped_post")
        change = {"unmapped": scenario.disturbance.unmapped.model_copy(update={"into": into})}
        disturbance = scenario.disturbance.model_copy(update=change)
        experiment = prepare(scenario.model_copy(update={"disturbance": disturbance}))
        closing, angle = encounters(experiment, SEEDS)
        force = closing * np.interp(angle, angles, per_closing)  # N s/m along the path
        print(f"{len(force)} posts {1e3 * into[0]:.0f} to {1e3 * into[1]:.0f} mm in the way")
        for speed in sorted((*SPEEDS, 0.03)):
            above = "  ".join(
                f"above {limit:.0f} N: {np.mean(speed * force > limit):4.0%}" for limit in LIMITS
            )
            print(
                f"{speed:5.3f} m/s: median {speed * np.median(force):3.0f} N, largest "
                f"{speed * force.max():3.0f} N, {above}"
            )


def table(robot: Robot, motions: Sequence[Motion]) -> None:
    """Largest joint forces by offset and speed."""
    reach = robot.link.radius + POST
    print("offset, mm  in the way, mm  angle, deg  " + "  ".join(f"{v:5.3f}" for v in SPEEDS))
    for offset in OFFSETS:
        row = [worst(robot, ContactModel(), motions, speed, offset).joint for speed in SPEEDS]
        angle = np.degrees(np.arcsin(offset / reach))
        print(
            f"{1e3 * offset:10.0f}  {1e3 * (reach - offset):14.0f}  {angle:10.0f}  "
            + "  ".join(f"{force:5.1f}" for force in row)
        )


def main() -> None:
    """Print the tables."""
    argparse.ArgumentParser(description="forces of first touches").parse_args()
    robot = load_robot("boa13")
    line, circle = [straight(robot)], on_circle(robot)
    print("largest joint force, N, by speed, m/s; the body straight")
    table(robot, line)
    print(f"\nthe same, the worst of {PLACES} places on the path of boa_circle and both sides")
    table(robot, circle)
    print("\nfirst touches on the path of boa_circle, of posts drawn as boa_unmapped_post does")
    shares(robot, circle)
    print("\nhead on, N per mm/s in contact / joint: straight, and worst on boa_circle")
    for name, solref in SHELLS.items():
        touches = [
            worst(robot, ContactModel(solref=solref), where, 0.1, 0.0) for where in (line, circle)
        ]
        print(
            f"{name:20} {solref}  "
            + "   ".join(
                f"{touch.contact / 100:.2f} / {touch.joint / 100:.2f}" for touch in touches
            )
        )


if __name__ == "__main__":
    main()
