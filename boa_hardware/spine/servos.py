"""Servos behind the link boards (2022 Boa): torques as SET JOINT TORQUE, readings in SENSOR LINK
SERVO.

Offers what `boa_hardware.servo.bus.ServoBus` offers in its cycle, so that the robot plant does not
care which topology it drives. One control tick is one spine cycle, so the control rate is the
sensor rate: 13 links with four frames each fill 70 % of the bus at 100 Hz, and 142 Hz is the most
that fits.
"""

from __future__ import annotations

import numpy as np

from boa_control.plant import PlantError
from boa_description.arrays import Array, Flags
from boa_hardware.servo.cycle import ServoCycle
from boa_hardware.spine.bus import SpineBus


class SpineServoTransport:
    """Torque commands and servo readings over the spine.

    A lost SET JOINT TORQUE leaves the board's latched torque as it was; it is repeated in the next
    tick. The protocol has no "torque off": `torque_off` commands zero torque, PANIC
    (`SpineBus.panic`) switches off for good.

    Args:
        spine: opened, with `servo_frames: true`, and without a thread of its own: this transport
            cycles it.
        torque_constant: of each servo, N m/A; scalar or shape (n_joints,).
        current_limit: largest current that is commanded, A.

    Raises:
        PlantError: the spine's settings do not ask for servo frames.
    """

    def __init__(
        self, spine: SpineBus, torque_constant: float | Array, current_limit: float
    ) -> None:
        if not (spine.settings.servo_frames or spine.settings.fd_frame):
            raise PlantError(
                "servos over the spine need `servo_frames: true` in the spine settings"
            )
        self.spine = spine
        self.armed = False
        self._constant = np.broadcast_to(np.asarray(torque_constant, float), (spine.robot.joints,))
        self._limit = current_limit
        self.restart()

    def restart(self) -> None:
        """Forget all samples and misses."""
        n = self.spine.robot.joints
        self._values = np.full((n, 4), np.nan)  # current, velocity, angle, temperature
        self._last_valid_ns = np.full(n, -1, np.int64)
        self._misses = np.zeros(n, np.int64)

    def torque_off(self) -> None:
        """Command zero torque. Never raises; harmless when the channel is closed."""
        self.armed = False
        self.spine.set_torques(np.zeros(len(self._constant)))

    def cycle(self, goal_current: Array | None = None) -> ServoCycle:
        """Send torques, then SYNC SENSOR, and wait for the answers until the spine's deadline.

        Args:
            goal_current: shape (n_joints,), A, joint direction; cut off at the current limit. None:
                only read.

        Returns:
            The sample; what was missed is old, with its age, and not `valid`. The spine's other
            sensors of the same SYNC are in `spine.newest()`.

        Raises:
            PlantError: a goal current is not finite or the shape is wrong; nothing is sent.
        """
        if goal_current is not None:
            self.spine.set_torques(self._torque(goal_current))
        reading = self.spine.cycle()
        valid: Flags = np.asarray(np.isfinite(reading.servo).all(axis=1))
        self._values[valid] = reading.servo[valid]
        self._last_valid_ns[valid] = reading.stamp_ns
        self._misses = np.where(valid, 0, self._misses + 1)
        current, velocity, position, temperature = self._values.T.copy()
        nothing = np.zeros(len(valid), np.uint8)
        return ServoCycle(
            stamp_ns=reading.stamp_ns,
            position=position,
            velocity=velocity,
            current=current,
            voltage=np.full(len(valid), np.nan),
            temperature=temperature,
            error=nothing,
            hardware_error=nothing,
            age=np.where(
                self._last_valid_ns < 0, np.inf, (reading.stamp_ns - self._last_valid_ns) * 1e-9
            ),
            valid=valid,
            misses=self._misses,
            lost_setup=np.zeros(len(valid), bool),
        )

    def _torque(self, goal_current: Array) -> Array:
        goal = np.asarray(goal_current, float)
        if goal.shape != self._constant.shape:
            raise PlantError(
                f"goal current has shape {goal.shape}, the robot has {len(self._constant)} joints"
            )
        if not np.isfinite(goal).all():
            bad = int(np.flatnonzero(~np.isfinite(goal))[0])
            raise PlantError(
                f"goal current of {self.spine.robot.joint_names[bad]} is {goal[bad]}; nothing "
                f"was sent"
            )
        return self._constant * np.clip(goal, -self._limit, self._limit)
