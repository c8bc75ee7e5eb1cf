# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""From sensor frames and the map to contacts: where they are, how hard they press, which are
established.
"""

from dataclasses import dataclass

import numpy as np
from pydantic import Field

from boa_control.controller import Briefing, ContactEstimate
from boa_control.estimation.chain_sample import noise_of, sample_from_frame
from boa_control.estimation.contact_forces import ContactForceEstimator
from boa_control.estimation.pose_from_contacts import (
    PoseBelief,
    PoseNoise,
    base_acceleration,
    contact_measurement,
    correct,
    imu_measurement,
    predict,
    start_belief,
)
from boa_control.model.contact_geometry import (
    LinkContacts,
    ObstacleMap,
    Pair,
    chain_pose,
    find_contacts,
    gap_jacobian,
)
from boa_control.plant import SensorFrame
from boa_description.arrays import Array, Flags
from boa_description.errors import BoaError
from boa_description.robot import Block, Metre, Newton, NewtonMetre, Second, require_planar


class ObserverSettings(Block):
    """When a pair of link and obstacle counts as touching.

    A touch begins at `touch_force` (or three standard deviations of the estimate) and ends at half
    of it.
    """

    reach: Metre = Field(default=0.005, gt=0, description="pairs nearer than this may push")
    touch_force: Newton = Field(default=0.2, gt=0)
    establish_time: Second = Field(
        default=0.05, gt=0, description="a touch or a loss this long is established"
    )
    sensor_noise: Newton | None = Field(
        default=None,
        gt=0,
        description="of the joint force sensors, per axis; None: as the robot's description says",
    )
    torque_uncertainty: NewtonMetre = Field(
        default=0.02, gt=0, description="what the motor torque may be wrong by"
    )
    dry_friction: NewtonMetre = Field(
        default=0.0, ge=0, description="known dry friction of the gearboxes"
    )


@dataclass(frozen=True, slots=True)
class Observation:
    """Estimates of the observer at one tick.

    Attributes:
        pose: of link 1.
        contacts: pairs within reach, in link frames.
        jacobian: shape (nc, n + 2), their gap Jacobian, at the predicted pose.
        force: shape (nc,), estimated normal force, N; unbiased, so slightly negative without touch.
        force_std: shape (nc,), N; infinite before the first force sample.
        touching: shape (nc,), touch now. established: shape (nc,), touched for long enough, losses
            bridged.
    """

    pose: PoseBelief
    contacts: LinkContacts
    jacobian: Array
    force: Array
    force_std: Array
    touching: Flags
    established: Flags

    def estimates(self, reference: Array | None = None) -> tuple[ContactEstimate, ...]:
        """Contacts that touch or are established, for the controller's output.

        Args:
            reference: shape (nc,), feasible reference of each normal force, N.
        """
        reference_force = np.full(len(self.contacts), np.nan) if reference is None else reference
        told = self.touching | self.established
        return contact_estimates(
            self.contacts.select(told),
            self.force[told],
            self.force_std[told],
            reference_force[told],
            self.established[told],
        )


def contact_estimates(
    contacts: LinkContacts,
    force: Array,
    std: Array,
    reference: Array,
    established: Flags | None = None,
) -> tuple[ContactEstimate, ...]:
    """Contacts for a controller's output.

    Args:
        force, std, reference: estimated normal force, its standard deviation and its reference,
            shape (nc,), N.
        established: shape (nc,); None: all of them.
    """
    columns = (
        contacts.obstacle.tolist(),
        contacts.link.tolist(),
        contacts.offset.tolist(),
        contacts.side.tolist(),
        np.maximum(force, 0.0).tolist(),
        std.tolist(),
        reference.tolist(),
        [True] * len(contacts) if established is None else established.tolist(),
    )
    return tuple(map(ContactEstimate, *columns))


class ContactObserver:
    """Keeps the pose of link 1 and the state of every contact from tick to tick."""

    def __init__(self, briefing: Briefing, settings: ObserverSettings) -> None:
        """Prepare for a run.

        Raises:
            BoaError: the robot leaves the plane, or the briefing does not say where it starts.
        """
        require_planar(briefing.robot, "the contact observer")
        if briefing.start_base is None:
            raise BoaError(
                "this controller needs the start pose; give the scenario initial.base or a "
                "known path start"
            )
        self._robot = briefing.robot
        self._map = ObstacleMap.of(briefing.obstacles)
        self._period = briefing.period
        self._start = briefing.start_base
        self._settings = settings
        self._noise = PoseNoise()
        self._forces = ContactForceEstimator(
            briefing.robot,
            noise_of(briefing.robot, settings.torque_uncertainty, settings.sensor_noise),
            friction=briefing.contact_friction,
        )
        self.reset()

    def reset(self) -> None:
        """Back to the start pose, nothing touching."""
        self._pose = start_belief(self._start)
        self._touching: set[Pair] = set()
        self._established: set[Pair] = set()
        self._changing: dict[Pair, float] = {}  # how long touch and establishment have disagreed, s
        self._first = True

    def observe(self, frame: SensorFrame) -> Observation:
        """Update with one sensor frame."""
        sample = sample_from_frame(frame, self._settings.dry_friction)
        alpha = None if sample is None else self._forces.angular_accelerations(sample)
        pose = self._pose
        if sample is not None and alpha is not None and not self._first:
            acceleration = base_acceleration(self._robot.link.pitch, pose.base[2], sample, alpha)
            pose = predict(pose, acceleration, self._period, self._noise)
        chain = chain_pose(self._robot, pose.base, frame.position)
        contacts = find_contacts(chain, self._map, self._settings.reach)
        jacobian = gap_jacobian(chain, contacts)
        force, std = np.zeros(len(contacts)), np.full(len(contacts), np.inf)
        if sample is not None and len(contacts):
            estimate = self._forces.forces(sample, contacts, alpha)
            force, std = estimate.force, estimate.std
        touching = self._felt(contacts.pairs, force, std)
        measurements = [
            contact_measurement(pose, contacts, jacobian, frame.velocity, touching, self._noise)
        ]
        if sample is not None:
            measurements.append(imu_measurement(pose, sample, self._noise))
        self._pose, self._first = correct(pose, *measurements), False
        settled = self._settled(contacts.pairs, touching)
        return Observation(self._pose, contacts, jacobian, force, std, touching, settled)

    def _felt(self, pairs: list[Pair], force: Array, std: Array) -> Flags:
        """Which pairs touch, with hysteresis."""
        begin = np.maximum(self._settings.touch_force, 3 * std)
        held = np.array([pair in self._touching for pair in pairs], dtype=bool)
        touching: Flags = force > np.where(held, begin / 2, begin)
        self._touching = {pair for pair, touches in zip(pairs, touching, strict=True) if touches}
        return touching

    def _settled(self, pairs: list[Pair], touching: Flags) -> Flags:
        """Which pairs are established: touch and loss count once they have lasted."""
        now = dict(zip(pairs, touching.tolist(), strict=True))
        for pair in self._established | set(pairs):
            if now.get(pair, False) == (pair in self._established):
                self._changing.pop(pair, None)
                continue
            lasted = self._changing.get(pair, 0.0) + self._period
            self._changing[pair] = lasted
            if lasted >= self._settings.establish_time:
                self._established ^= {pair}
                del self._changing[pair]
        return np.array([pair in self._established for pair in pairs], dtype=bool)
