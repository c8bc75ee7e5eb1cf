# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""All force sensors of the robot: counts in, forces and warnings out."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from boa_control.plant import ForceSample
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.robot import Block, Ratio, Robot, Second
from boa_hardware.block_file import load_block
from boa_hardware.sensors.k3d40 import Calibration, bridge_to_force, nominal_calibration
from boa_hardware.sensors.tare import Tare
from boa_hardware.sensors.wire import ForceWire


class ForceWatch(Block):
    """When a force sensor is complained about."""

    warn: Ratio = Field(default=0.9, gt=0, le=1, description="share of the range, per axis")
    stuck: Second = Field(
        default=0.5, gt=0, description="the same count for this long: a 24 bit converter has noise"
    )
    stuck_samples: int = Field(
        default=10,
        ge=2,
        description="... and in so many samples: a gap in the samples is not a stuck sensor",
    )


@dataclass(frozen=True, slots=True)
class ForceReading:
    """One sample of all force sensors.

    Attributes:
        sample: forces in N for the plant contract.
        bridge: shape (n_joints, 3), mV/V, before the tare; what a tare is made of. NaN if boards
            send forces.
        warnings: near the end of the range, one text per sensor.
        faults: over range (latched), saturated, stuck; one text each, with the remedy.
    """

    sample: ForceSample
    bridge: Array
    warnings: tuple[str, ...]
    faults: tuple[str, ...]


class ForceSensors:
    """The force sensors of one robot, in joint order. Keeps the zero, the latches and the stuck
    detection.

    Args:
        robot: gives joint names and the number of sensors.
        wire: what link boards send.
        calibrations: one per joint; None takes nominal ones.
        watch: limits.
        tare: zero from an earlier run; None takes the certificates' offsets.
    """

    def __init__(
        self,
        robot: Robot,
        wire: ForceWire,
        calibrations: Sequence[Calibration] | None = None,
        watch: ForceWatch | None = None,
        tare: Tare | None = None,
    ) -> None:
        nominal = nominal_calibration(robot.force_sensor.range)
        self.calibrations = (
            tuple(calibrations) if calibrations is not None else (nominal,) * robot.joints
        )
        if len(self.calibrations) != robot.joints:
            raise BoaError(
                f"{len(self.calibrations)} force calibrations for {robot.joints} joints of "
                f"{robot.name}"
            )
        self.names = robot.joint_names
        self._wire = wire
        self._watch = watch or ForceWatch()
        self._to_link = np.array([calibration.to_link for calibration in self.calibrations])
        self._to_link_planar = np.array(
            [calibration.to_link_planar for calibration in self.calibrations]
        )
        self._range = np.array([calibration.range for calibration in self.calibrations])
        self.certificate_zero = np.array([calibration.offset for calibration in self.calibrations])
        self.zero = (
            self.certificate_zero if tare is None else _known(tare.zero, self.certificate_zero)
        )
        self._over_range = np.zeros(robot.joints, dtype=bool)
        self._last_counts = np.full((robot.joints, 2), np.nan)
        self._constant_since = np.zeros((robot.joints, 2))
        self._same = np.zeros((robot.joints, 2), dtype=int)

    def reset(self) -> None:
        """Forget latched over-range."""
        self._over_range[:] = False

    def set_zero(self, tare: Tare) -> None:
        """Use a new zero; channels it does not have keep the certificate's."""
        self.zero = _known(tare.zero, self.certificate_zero)

    def force(self, bridge: Array, zero: Array) -> Array:
        """Shape (..., n_joints, 3), N, from mV/V of the same shape, with the given zero (n_joints,
        3).
        """
        return bridge_to_force(bridge - zero, self._to_link, self._to_link_planar)

    def read(self, counts: Array, stamp_ns: int) -> ForceReading:
        """Turn one sample set into forces.

        Args:
            counts: shape (n_joints, 2), what the boards sent for x and y; NaN where missing.
            stamp_ns: time of the SYNC, ns.
        """
        planar = counts * (
            self._wire.newton_per_count
            if self._wire.content == "force"
            else self._wire.front_end.mv_per_v
        )
        values = np.concatenate([planar, np.full((len(planar), 1), np.nan)], axis=1)
        if self._wire.content == "force":
            bridge, force = np.full_like(values, np.nan), values
        else:
            bridge, force = values, self.force(values, self.zero)
        warnings, faults = self._judge(counts, force, stamp_ns)
        return ForceReading(ForceSample(stamp_ns, force), bridge, warnings, faults)

    def _judge(
        self, counts: Array, force: Array, stamp_ns: int
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        share = np.nan_to_num(np.abs(force)).max(axis=1) / self._range
        self._over_range |= share > 1.0
        saturated = self._saturated(counts)
        stuck = self._stuck(counts, stamp_ns * 1e-9)
        near = (share > self._watch.warn) & ~self._over_range
        faults = [
            *self._texts(
                self._over_range,
                "above its range (latched); check it for damage, tare, reset the fault",
            ),
            *self._texts(saturated, "saturated converter; check the bridge and the amplifier"),
            *self._texts(
                stuck & ~saturated,
                f"the same value for {self._watch.stuck:g} s; check the link board",
            ),
        ]
        return tuple(self._texts(near, f"above {self._watch.warn:.0%} of its range")), tuple(faults)

    def _texts(self, which: NDArray[np.bool_], text: str) -> list[str]:
        return [
            f"force sensor {self.names[i]} ({self.calibrations[i].serial}): {text}"
            for i in np.flatnonzero(which)
        ]

    def _saturated(self, counts: Array) -> NDArray[np.bool_]:
        if self._wire.content == "force":
            return np.zeros(len(counts), dtype=bool)
        saturated = np.abs(counts) >= self._wire.front_end.full_scale
        return saturated[:, 0] | saturated[:, 1]

    def _stuck(self, counts: Array, now: float) -> NDArray[np.bool_]:
        fresh = np.isfinite(counts)
        moved = fresh & (counts != self._last_counts)
        self._constant_since[moved] = now
        self._last_counts[moved] = counts[moved]
        self._same = np.where(moved, 1, self._same + fresh)
        often = self._same >= self._watch.stuck_samples
        constant = fresh & often & (now - self._constant_since >= self._watch.stuck)
        return constant[:, 0] | constant[:, 1]


def load_calibrations(folder: str | Path, robot: Robot) -> tuple[Calibration, ...]:
    """Read `joint_01.yaml`, ... of every joint from a folder.

    Raises:
        BoaError: a file is missing or wrong, or two joints claim the same sensor.
    """
    calibrations = [
        load_block(Calibration, Path(folder) / f"{name}.yaml") for name in robot.joint_names
    ]
    owners: dict[str, str] = {}
    for name, calibration in zip(robot.joint_names, calibrations, strict=True):
        if (other := owners.setdefault(calibration.serial, name)) != name:
            raise BoaError(
                f"{folder}: {other} and {name} both claim sensor {calibration.serial}; correct "
                f"one file"
            )
    return tuple(calibrations)


def _known(zero: Array, fallback: Array) -> Array:
    return np.where(np.isfinite(zero), zero, fallback)
