# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A recorded run as integrals over time: what the motors gave, and what the joints passed on.

Every link is a free body between its joints and the post that touches it, so the joint force
sensors tell what the joints passed on (docs/mathematics.md, section 9.1). With D the differences of
joint values, m the moments on the links, I their inertia and omega their turn rates,

    D L = m - I d omega/dt,     integral of L = D^+ (integral of m - I omega):

over a window of time nothing is differentiated, the momentum form of De Luca and Mattone (ICRA
2005). Only what a robot measures is used; the truth of a simulation is not.
"""

from typing import NamedTuple

import numpy as np

from boa_control.controllers.hoal.law.transmission import lever_arms
from boa_control.estimation.link_forces import neighbour_forces
from boa_control.experiments.experiment import Experiment
from boa_description.arrays import Array, Flags, Integers
from boa_description.chain import joint_differences
from boa_description.errors import BoaError
from boa_description.robot import Robot, require_planar
from boa_tools.runs.runlog import EstimatedContacts, RunLog

FORCES, IMUS = "joint_force", "imu"
END_ZONE = 0.02  # m; a post nearer to a joint may push both links, along themselves too
SETTLE = 4.0  # s; the robot takes hold of its posts before, and no joint moves


class Record(NamedTuple):
    """What motors gave and joints passed on; K samples of the latter, T ticks, times in s since the
    first tick.

    Attributes:
        begin: of what counts.
        time: of the samples, (K,).
        passed_on: integral of what the joints passed on, (K, n - 1), N m s.
        shifted: by how much that grows if all posts are so much further ahead on their links, (K, n
            - 1), N s.
        tick_time: of the ticks, (T,).
        position, velocity, effort: of the joints, as measured, (T, n - 1).
    """

    begin: float
    time: Array
    passed_on: Array
    shifted: Array
    tick_time: Array
    position: Array
    velocity: Array
    effort: Array


class Balance(NamedTuple):
    """What acts along the links, at K samples of the force sensors.

    Attributes:
        time: of the samples, s, (K,).
        acceleration: of the links along themselves, (K, n), m/s2.
        ends: forces of the sensors at the head and the tail end of every link along it, (K, n, 2),
            N; 0 at the ends of the body.
        straight: no post is near an end of the link, where it would push along it too, (K, n).
    """

    time: Array
    acceleration: Array
    ends: Array
    straight: Flags


class Flaws(NamedTuple):
    """What may be wrong through all of a run: the record as it would be if the truth were so.

    Attributes:
        leak: true forces are (1 + leak) times the measured ones, (n - 1, 2, 2).
        arms: by how much posts are further ahead on each link, on average, and as cosine and sine
            of their way from one end of it to the other, (n, 3), m.
    """

    leak: Array
    arms: Array


def record_of(
    log: RunLog, experiment: Experiment, flaws: Flaws | None = None
) -> tuple[Record, Balance]:
    """What a run tells.

    Raises:
        BoaError: a robot that leaves the plane, or a run without force sensors, IMUs or contacts.
    """
    robot = experiment.robot
    require_planar(robot, "identification")
    _require(log)
    start = log.stamp_ns[0]
    samples, imu = log.sensors[FORCES], log.sensors[IMUS]
    force = samples["force"][..., :2]
    whole = _whole(force)
    stamps, force = samples.stamp_ns[whole], force[whole]
    time = (stamps - start) * 1e-9
    imu_time = (imu.stamp_ns - start) * 1e-9
    if flaws is not None:
        force = force + np.einsum("jab,kjb->kja", flaws.leak, force)
    angles = _at(time, log.time, log.position)
    along, across = neighbour_forces(force, angles)
    acceleration = _at(time, imu_time, imu["linear_acceleration"][..., :2])
    outside = robot.link.mass * acceleration[..., 1] - across
    ticks = np.searchsorted(log.stamp_ns, stamps)
    arms = _arms(log.contacts, ticks, robot)
    if flaws is not None:
        phase = 2 * np.pi * arms / robot.link.pitch
        shape = np.stack((np.ones_like(phase), np.cos(phase), np.sin(phase)), axis=-1)
        arms = arms + (flaws.arms * shape).sum(axis=-1)
    behind = np.pad(force, ((0, 0), (1, 0), (0, 0)))  # of the joint behind each link
    # at either end the neighbours' forces turn the link the same way
    moment = robot.link.pitch / 2 * (across + 2 * behind[..., 1])
    moment += (arms - _middle(log, experiment, time)) * outside
    spread = np.linalg.pinv(joint_differences(robot.links)).T
    turning = _at(time, imu_time, imu["angular_velocity"][..., 2])
    balance = Balance(
        time=time,
        acceleration=acceleration[..., 0],
        ends=np.stack((along + behind[..., 0], behind[..., 0]), axis=-1),
        straight=_straight(log.contacts, ticks, robot),
    )
    record = Record(
        begin=SETTLE,
        time=time,
        passed_on=(integral(time, moment) - robot.link.yaw_inertia * turning) @ spread,
        shifted=integral(time, outside) @ spread,
        tick_time=log.time,
        position=log.position,
        velocity=log.velocity,
        effort=log.effort,
    )
    return record, balance


def _require(log: RunLog) -> None:
    for name in (FORCES, IMUS):
        if name not in log.sensors or not log.sensors[name].tick.size:
            raise BoaError(
                f"the run has no samples of {name}, without which nobody knows what the joints "
                "passed on; identify from a run whose plant has them"
            )
    if not log.contacts.tick.size:
        raise BoaError(
            "the run tells no contacts, so the arms of the posts are unknown; identify from a run "
            "of a controller that reports them, such as hoal"
        )


def _at(time: Array, known: Array, values: Array) -> Array:
    """Values (T, ...) of the times `known` at other times, (K, ...), straight between them and over
    what is missing.
    """
    whole = _whole(values)
    known, values = known[whole], values[whole]
    after = np.clip(np.searchsorted(known, time), 1, known.size - 1)
    share = np.clip((time - known[after - 1]) / (known[after] - known[after - 1]), 0.0, 1.0)
    share = share.reshape(-1, *[1] * (values.ndim - 1))
    between: Array = values[after - 1] + share * (values[after] - values[after - 1])
    return between


def _whole(values: Array) -> Flags:
    """Which of the samples (T, ...) nothing is missing of: one joint tells of all others."""
    return np.array(np.isfinite(values).reshape(len(values), -1).all(axis=1))


def integral(time: Array, value: Array) -> Array:
    """From the first sample to each, by the trapezoidal rule, (K, ...)."""
    steps = np.diff(time)[:, None] * (value[1:] + value[:-1]) / 2
    return np.concatenate((np.zeros((1, value.shape[1])), np.cumsum(steps, axis=0)))


def _arms(contacts: EstimatedContacts, ticks: Integers, robot: Robot) -> Array:
    """Where posts touch the links at some ticks, from the tail-side axes, (K, n), m."""
    first, last = (np.searchsorted(contacts.tick, ticks, side=side) for side in ("left", "right"))
    link, offset = contacts.link.astype(np.int64), contacts.offset.astype(float)
    rows = [slice(*pair) for pair in zip(first, last, strict=True)]
    return np.array(
        [lever_arms(link[row], offset[row], robot.links, robot.link.pitch) for row in rows]
    )


def _straight(contacts: EstimatedContacts, ticks: Integers, robot: Robot) -> Flags:
    """Links no end of which is near a post at some ticks, (K, n)."""
    near = np.zeros((max(int(ticks.max()), int(contacts.tick.max())) + 1, robot.links + 2), bool)
    behind = contacts.offset < END_ZONE
    ahead = contacts.offset > robot.link.pitch - END_ZONE
    for touched, neighbour in ((behind, -1), (ahead, 1)):
        tick, link = contacts.tick[touched], contacts.link[touched] + 1
        near[tick, link] = near[tick, link + neighbour] = True
    straight: Flags = ~near[ticks, 1:-1]
    return straight


def _middle(log: RunLog, experiment: Experiment, time: Array) -> Array:
    """Of the links, from their tail-side axes, (K, 1), m, moved by what the friction of a post
    turns the link, which is against the travel.
    """
    robot = experiment.robot
    turned = experiment.scenario.scene.contact.friction * robot.link.radius
    rate = log.debug.get("progress_rate_mps", np.ones(log.ticks))
    forward = np.sign(np.nan_to_num(_at(time, log.time, rate), nan=1.0))
    middle: Array = robot.link.pitch / 2 + turned * forward[:, None]
    return middle
