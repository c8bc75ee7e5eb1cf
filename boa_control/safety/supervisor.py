# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The supervisor: owns a plant and its torque gate. The only caller of `Plant.write` but for the
bench of `boa commission`, with small torques, and `boa bench`, at an emulated robot.
"""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Self

from boa_control.plant import Plant, PlantError, SensorFrame
from boa_control.safety import gate as torque_gate
from boa_control.safety.command import Command
from boa_control.safety.faults import Fault
from boa_control.safety.gate import GateDecision, GateSettings, GateState
from boa_description.errors import BoaError
from boa_description.robot import Limits, Robot

NO_CAP = -1.0  # of the torque: what the robot's description says


@dataclass(frozen=True, slots=True)
class Status:
    """State and counts for the diagnostics.

    Attributes:
        armed: torques may act.
        faults: latched faults, oldest first.
        warnings: of the last tick.
        ticks: calls of `apply` since start.
        trips: how often each protective event began, by name.
    """

    armed: bool
    faults: tuple[Fault, ...]
    warnings: tuple[str, ...]
    ticks: int
    trips: dict[str, int]


class Supervisor:
    """Reads a plant, gates every torque, arms and disarms. Use as a context manager; leaving it
    disarms and closes.

    One tick is `frame = read()`, then `apply(command)`. Whatever fails inside leaves the plant
    disarmed. Whether it is armed the plant alone keeps; time is the plant's. Not thread-safe: one
    owner calls everything.
    """

    def __init__(self, plant: Plant, limits: Limits | None = None) -> None:
        """Take over `plant`, disarmed. `limits` replaces those of the robot's description."""
        self._plant = plant
        self._limits = limits or plant.robot.limits
        self._settings = GateSettings.of(plant.robot, plant.control_period_ns, limits)
        self._state: GateState = torque_gate.initial_state(self._settings)
        self._frame: SensorFrame | None = None
        self._warnings: tuple[str, ...] = ()
        self._ticks = 0
        self._trips: Counter[str] = Counter()
        plant.disarm()

    @property
    def plant(self) -> Plant:
        """The plant, for reading only: truth, robot, period."""
        return self._plant

    @property
    def robot(self) -> Robot:
        """The description of the robot behind the plant."""
        return self._plant.robot

    @property
    def status(self) -> Status:
        """Armed, faults, warnings and counts."""
        return Status(
            self._plant.armed, self._state.faults, self._warnings, self._ticks, dict(self._trips)
        )

    def read(self) -> SensorFrame:
        """Return the plant's newest frame.

        Raises:
            PlantError: the plant is gone; it has been disarmed.
        """
        try:
            self._frame = self._plant.read()
        except BaseException:
            self.disarm()
            raise
        return self._frame

    def apply(self, command: Command | None, reported: tuple[Fault, ...] = ()) -> GateDecision:
        """Gate the newest command and write the torque that remains to the plant.

        Args:
            command: None when none has arrived.
            reported: faults that its sender shows; they are latched like the gate's own.

        Returns:
            The decision; `decision.torque` is what the plant got.

        Raises:
            PlantError: nothing has been read yet, or the plant is gone; it has been disarmed.
        """
        if self._frame is None:
            raise PlantError("apply before the first read; call read() first")
        last = self._state
        try:
            self._state, decision = torque_gate.gate(
                self._present_state(),
                self._frame,
                command,
                self._plant.now_ns(),
                self._settings,
                reported,
            )
            if last.armed and not decision.armed:
                self._plant.disarm()  # also one that has disarmed itself: a packet may be lost
            if decision.faults and not last.faults:
                self._plant.fault_latched(str(decision.faults[0]))
            self._plant.write(decision.torque)
        except BaseException:
            self.disarm()
            raise
        self._ticks += 1
        if decision.trips:
            self._trips.update(decision.trips)
        self._warnings = decision.warnings
        return decision

    def arm(self) -> None:
        """Let torques act.

        Raises:
            PlantError: with the reason: latched fault, no fresh reading, or the plant refuses.
        """
        armed = torque_gate.arm(
            self._present_state(), self._frame, self._plant.now_ns(), self._settings
        )
        if not self._plant.armed:
            self._plant.arm()
        self._state = armed

    def require_cap(self, cap: float) -> float:
        """The torque that a cap allows, N m; `NO_CAP`: what the limits say.

        Raises:
            BoaError: not above 0, or above the limits.
            PlantError: higher than the present cap while torques may act.
        """
        most = self._limits.torque
        wish = most if cap == NO_CAP else cap
        if type(wish) not in (int, float) or not 0 < wish <= most:
            raise BoaError(
                f"torque_cap is {cap!r}; expected above 0 to {most:g} N m, or {NO_CAP:g} for that"
            )
        present = self._settings.limits.torque
        if self._plant.armed and wish > present:
            raise PlantError(
                f"torque_cap {wish:g} N m is above the present {present:g} N m, and can only be "
                "lowered while armed; disarm first"
            )
        return float(wish)

    def cap_torque(self, cap: float) -> None:
        """Let no joint have more torque than `cap`, N m. Raises as `require_cap`."""
        limits = self._limits.model_copy(update={"torque": self.require_cap(cap)})
        self._settings = replace(self._settings, limits=limits)

    def _present_state(self) -> GateState:
        """The gate's memory, armed as the plant is now."""
        armed = self._plant.armed
        return self._state if self._state.armed == armed else self._state._replace(armed=armed)

    def disarm(self) -> None:
        """Remove all torque at once. Never raises."""
        self._state = torque_gate.disarm(self._state)
        self._plant.disarm()

    def reset_fault(self) -> None:
        """Clear the faults of plant and gate; ends disarmed.

        Raises:
            PlantError: the plant could not clear its own; the gate's stay latched.
        """
        self.disarm()
        self._plant.reset_fault()
        self._state = torque_gate.reset_fault(self._state)

    def tare(self) -> None:
        """Set the zero of the force sensors.

        Raises:
            PlantError: armed, or the plant finds that it moves or is loaded.
        """
        if self._state.armed:
            raise PlantError("cannot tare while armed; disarm first and unload the joints")
        self._plant.tare()

    def reset_simulation(self) -> None:
        """Put a simulated plant back to its start; ends disarmed with nothing latched.

        Raises:
            PlantError: the plant is not a simulation.
        """
        simulation = self._plant.simulation
        if simulation is None:
            raise PlantError("cannot reset: this plant is the robot, not a simulation")
        self.disarm()
        simulation.reset()
        self._state, self._frame = torque_gate.initial_state(self._settings), None

    def close(self) -> None:
        """Disarm and release the plant. Never raises; may be called twice."""
        self.disarm()
        self._plant.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
