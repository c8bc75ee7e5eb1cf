# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""From a run to a programme and back: its last period is where the search begins, and the answer
is a gait that the same controller plays.
"""

from dataclasses import dataclass

import numpy as np

from boa_control.controllers import checked_parameters
from boa_control.controllers.joint_pd import JointPd
from boa_control.controllers.space_gaits import Sampled, VerticalWave
from boa_control.experiments.change import changed
from boa_control.experiments.experiment import Experiment
from boa_control.experiments.scenario import Scenario
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.quaternion import rotated
from boa_tools.contact_implicit.chain import VerticalChain, chain_of
from boa_tools.contact_implicit.motion import Motion, Task
from boa_tools.contact_implicit.programme import GRAVITY, Programme
from boa_tools.runs.runlog import RunLog

TOUCHING = 0.004  # m: soft floors let spheres sink in, and carry them a little above
FEWEST = 8  # knots of a period
INSIDE = 1e-3  # N, m: an interior point method begins with nothing at zero


@dataclass(frozen=True, slots=True)
class Gait:
    """The gait of a scenario, and the controller that plays it."""

    parameters: JointPd.Parameters
    wave: VerticalWave | Sampled

    @property
    def period(self) -> float:
        """s."""
        return 1.0 / self.wave.frequency

    @property
    def settled(self) -> float:
        """Time after which a run is periodic, s: the gait has begun, and gone on for a period."""
        return self.parameters.ramp + self.period


def gait_of(scenario: Scenario) -> Gait:
    """The periodic gait of a scenario in a vertical plane.

    Raises:
        BoaError: it has none, or its floor is not flat.
    """
    chosen = scenario.controller
    parameters = checked_parameters(chosen.name, chosen.parameters)
    wave = getattr(parameters, "gait", None)
    if not isinstance(parameters, JointPd.Parameters) or not isinstance(
        wave, VerticalWave | Sampled
    ):
        raise BoaError(
            f"scenario {scenario.name} has no vertical wave, and a trajectory is sought near one; "
            "choose one with controller joint_pd and gait vertical_wave, such as cobra_fastest"
        )
    if scenario.scene.terrain:
        raise BoaError(
            f"scenario {scenario.name} has steps or gaps (scene.terrain), and a trajectory is "
            "sought on a flat floor; leave them out"
        )
    return Gait(parameters, wave)


def programme_near(
    log: RunLog, experiment: Experiment, gait: Gait, knots: int, way: float | None = None
) -> tuple[Programme, Motion[np.float64]]:
    """The programme that asks for a way, m, in the time of one period, and a period of the run,
    which is nearly its last: it begins at a whole number of periods.

    Args:
        way: None: that of this period.

    Raises:
        BoaError: too few knots, the run is too short, or its robot cannot lift itself.
    """
    if knots < FEWEST:
        raise BoaError(
            f"{knots} knots cannot follow a wave; give at least {FEWEST} (--knots), better 40"
        )
    robot, scene = experiment.robot, experiment.scenario.scene
    chain = chain_of(robot, scene.contact.friction)
    begin = gait.period * np.floor(log.time[-1] / gait.period - 1.0)  # in phase with the gait
    if begin < gait.settled:
        raise BoaError(
            f"scenario {experiment.scenario.name} lasts {log.time[-1]:.3g} s, and its gait is "
            f"known after {gait.settled + 2 * gait.period:.3g} s; raise duration"
        )
    step = gait.period / knots
    times = begin + step * np.arange(knots + 1)
    places, angles = _at(times, log, list(robot.pitch_joints))
    x, z, theta = chain.placed(angles, places)
    distance = float(np.mean(x[-1] - x[0]))
    x, z, theta = _closed(x, distance), _closed(z), _closed(theta)
    task = Task(
        knots,
        step,
        distance if way is None else way,
        min(-robot.joint.lower, robot.joint.upper) - robot.limits.joint_margin,
        robot.actuator.speed_limit,
        robot.limits.torque,
    )
    torque = _interpolated(times[:-1], log.time, log.applied[:, list(robot.pitch_joints)])
    motion = _carried(chain, task, x[1:] - x[-1, 0], z[1:], theta[1:], torque)
    return Programme(chain, task), motion


def _at(times: Array, log: RunLog, pitch: list[int]) -> tuple[Array, Array]:
    """Place (x, z, angle) of the tail in its vertical plane, and angles of the pitch joints."""
    truth = log.truth
    assert truth is not None and truth.pose is not None  # a simulated robot in space
    heading = truth.base[0, 2]
    ahead = np.array([np.cos(heading), np.sin(heading), 0.0])
    along = rotated(truth.pose[:, 3:], np.array([1.0, 0.0, 0.0]))
    angle = np.unwrap(np.arctan2(-along[:, 2], along @ ahead))
    tail = np.column_stack((truth.pose[:, :3] @ ahead, truth.pose[:, 2], angle))
    joints = truth.joint_position[:, pitch]
    return _interpolated(times, log.time, tail), _interpolated(times, log.time, joints)


def _closed(values: Array, way: float = 0.0) -> Array:
    """Rows of one period, the last of which is the first but for `way`."""
    share = np.linspace(0.0, 1.0, len(values))[:, None]
    closed: Array = values - share * (values[-1] - values[0] - way)
    return closed


def _interpolated(times: Array, known: Array, values: Array) -> Array:
    return np.column_stack([np.interp(times, known, column) for column in values.T])


def _carried(
    chain: VerticalChain, task: Task, x: Array, z: Array, theta: Array, torque: Array
) -> Motion[np.float64]:
    """A motion with a guess of its forces: spheres at the floor share the weight."""
    body, offset = chain.body, chain.offset
    gap = z[:, body] - offset * np.sin(theta[:, body]) - chain.radius
    x1, theta1 = np.roll(x, 1, axis=0), np.roll(theta, 1, axis=0)
    x1[0] -= task.distance
    slid = (x - x1)[:, body] + offset * (np.cos(theta) - np.cos(theta1))[:, body]
    slid -= chain.radius * (theta - theta1)[:, body]
    touching = gap < TOUCHING
    count = np.maximum(touching.sum(axis=1, keepdims=True), 1)
    share = chain.friction * chain.mass.sum() * GRAVITY / count * touching + INSIDE
    joints = np.zeros((task.knots, chain.joints))
    return Motion(
        x,
        z,
        theta,
        joints,
        joints,
        torque,
        np.maximum(gap, INSIDE),
        share,
        share,
        np.maximum(slid, 0.0) + INSIDE,
        np.maximum(-slid, 0.0) + INSIDE,
    )


def played(scenario: Scenario, gait: Gait, motion: Motion[np.float64]) -> Scenario:
    """The scenario with the motion as its gait.

    The reference is ahead of the motion by what makes the controller command its efforts:
    k_p e + k_d e' = u, whose periodic e is a sum over harmonics. Row k is at time (k + 1) h, and
    effort k acts in the step that begins at k h.
    """
    angles = np.roll(np.diff(motion.theta, axis=1), 1, axis=0)
    p, knots = gait.parameters, len(angles)
    rate = 2j * np.pi * gait.wave.frequency * np.arange(knots // 2 + 1)
    lead = np.fft.rfft(motion.effort, axis=0) / (p.kp + p.kd * rate)[:, None]
    angles += np.fft.irfft(lead, knots, axis=0)
    sampled = {
        "kind": "sampled",
        "frequency": gait.wave.frequency,
        "angles": [[round(float(angle), 5) for angle in row] for row in angles],
    }
    named = scenario.model_copy(
        update={
            "name": f"{scenario.name}_trajectory",
            "summary": f"The way of {scenario.name} in its time, with the least effort",
        }
    )
    return changed(named, {"controller.parameters.gait": sampled})
