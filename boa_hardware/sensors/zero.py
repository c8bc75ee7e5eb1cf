# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The zero of the force sensors over time: loaded at start, checked at rest, set by a tare, kept on
disk.
"""

from pathlib import Path

import numpy as np

from boa_control.plant import PlantError
from boa_description.arrays import Array
from boa_hardware.block_file import load_block, save_block
from boa_hardware.sensors.force import ForceReading, ForceSensors
from boa_hardware.sensors.tare import TareFile, TareLimits, TareWindow, drift


class ForceZero:
    """Keeps the zero of one robot's force sensors.

    The stored zero is compared once with what the sensors say at rest. A robot that moves or is
    loaded says nothing about its zero; the comparison waits until it is still and lifted off.

    Args:
        sensors: whose zero it is.
        file: where the tare is kept; None: in memory only.

    Attributes:
        warnings: what is wrong with the zero, one text each.
        foreign: why the zero in use is not that of these sensors; empty where it is.
    """

    def __init__(self, sensors: ForceSensors, file: Path | None) -> None:
        self._sensors = sensors
        self._file = file
        self._limits = TareLimits()
        self._window = TareWindow(sensors.names, self._limits)
        self._gains = np.array(
            [np.diag(np.array(sensor.matrix)) for sensor in sensors.calibrations]
        )
        self._checked = True
        self._serials = tuple(sensor.serial for sensor in sensors.calibrations)
        self.foreign = ""
        self.warnings: tuple[str, ...] = ()

    def load(self) -> None:
        """Use the stored tare.

        Raises:
            BoaError: the file cannot be read, or is of another robot.
        """
        if self._file is None:
            return
        if self._file.exists():
            stored = load_block(TareFile, self._file)
            self._sensors.set_zero(stored.tare(self._sensors.names))
            self.foreign = stored.foreign(self._sensors.names, self._serials)
            self._checked = False
        else:
            self.warnings = (
                f"force sensors: no tare in {self._file}; lift the robot off and call ~/tare",
            )

    def add(self, stamp_ns: int, reading: ForceReading) -> None:
        """Take a sample at rest, without torque."""
        force = self._sensors.force(reading.bridge, self._sensors.certificate_zero)
        self._window.add(stamp_ns, reading.bridge, force)
        if not self._checked and self._window.full:
            self._check()

    def disturbed(self) -> None:
        """The robot moves or gets torque: samples up to now say nothing about the zero."""
        self._window.clear()

    def _check(self) -> None:
        """Compare the zero in use with the sensors' own at rest; wait for the next samples if they
        are not at rest.
        """
        names = self._sensors.names
        try:
            now = self._window.take(
                armed=False, temperature=np.full(len(names), np.nan), taken_ns=0
            )
        except PlantError:
            self._window.clear()
            return
        self._checked = True
        change = np.nan_to_num(np.abs(drift(now, self._sensors.zero, self._gains))).max(axis=1)
        self.warnings = tuple(
            f"force sensor {name}: its zero has moved by {moved:.1f} N since the tare, "
            f"limit {self._limits.drift:.1f} N; tare again, and check the sensor if it moves on"
            for name, moved in zip(names, change, strict=True)
            if moved > self._limits.drift
        )

    def tare(self, *, armed: bool, temperature: Array, taken_ns: int) -> None:
        """Make the mean of the last second the zero, and keep it.

        Raises:
            PlantError: armed, moving, loaded or too few samples (nothing has changed then); or the
                file cannot be written (the new zero is in use).
        """
        taken = self._window.take(armed=armed, temperature=temperature, taken_ns=taken_ns)
        self._sensors.set_zero(taken)
        self._window.clear()
        self._checked, self.warnings, self.foreign = True, (), ""
        if self._file is not None:
            try:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                save_block(TareFile.of(taken, self._sensors.names, self._serials), self._file)
            except OSError as error:
                raise PlantError(
                    f"the new zero is in use, but {self._file} cannot be written "
                    f"({error.strerror}); correct tare_file"
                ) from error
