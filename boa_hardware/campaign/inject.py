"""How faults are injected: scripts that begin with the injection, and changes of the trial."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from boa_control.plant import SensorFrame
from boa_control.safety.command import Command
from boa_description.arrays import Array
from boa_hardware.campaign.trial import Trial
from boa_hardware.emulator.can_wire import WireFrame
from boa_hardware.emulator.script import FaultScript
from boa_hardware.spine.protocol import Opcode, arbitration_id


def line(
    kind: str, rate: float = 1.0, where: str = "reply", lasts: float | None = None, **more: Any
) -> Any:
    """A fault of the servo line that begins with the injection."""
    return lambda start: FaultScript.model_validate(
        {
            "servo_line": [
                {"kind": kind, "rate": rate, "where": where, **_from(start, lasts), **more}
            ]
        }
    )


def servo(kind: str, id: int | None = None, lasts: float | None = None, **more: Any) -> Any:
    """A fault of one servo, or of all."""
    return lambda start: FaultScript.model_validate(
        {"servos": [{"kind": kind, "id": id, **_from(start, lasts), **more}]}
    )


def spine(kind: str, lasts: float | None = None, **more: Any) -> Any:
    """A fault of the spine."""
    return lambda start: FaultScript.model_validate(
        {"spine": [{"kind": kind, **_from(start, lasts), **more}]}
    )


def _from(start: float, lasts: float | None) -> dict[str, Any]:
    return {"start": start} if lasts is None else {"start": start, "stop": start + lasts}


# done to the trial itself


def controller_dies(trial: Trial) -> None:
    """Its last command stays in the plant's inbox, as in a node."""
    last = trial.commands[-1]
    command = Command(last.torque, trial.robot.wall.stamp_ns(round(last.stamp * 1e9)))
    trial.answer = lambda _: command


def commands(change: Callable[[Array, int], tuple[Array, int]]) -> Callable[[Trial], None]:
    """The controller commands something else than it should: torques (N m) and stamp (ns) as
    `change` makes them.
    """

    def act(trial: Trial) -> None:
        def answer(frame: SensorFrame) -> Command:
            right = trial.shake(frame)
            return Command(*change(right.torque, right.stamp_ns))

        trial.answer = answer

    return act


def one_nan(torque: Array, stamp: int) -> tuple[Array, int]:
    """One torque is not a number."""
    torque[3] = np.nan
    return torque, stamp


def owner_hangs(trial: Trial) -> None:
    """The plant node's own loop stops; its bus thread goes on."""
    trial.owner_alive = False


def process_dies(trial: Trial) -> None:
    """SIGKILL, power cut of the computer, cable cut."""
    trial.process_alive = False


def clock_steps(seconds: float) -> Callable[[Trial], None]:
    """The wall clock is set; the plant has read it once and goes on with monotonic time."""

    def act(trial: Trial) -> None:
        trial.robot.wall_time_ns += round(seconds * 1e9)

    return act


def second_master(trial: Trial) -> None:
    """Another program sends SYNC SENSOR."""
    frame = WireFrame(arbitration_id(Opcode.SYNC_SENSOR), b"\0", sender=-1)
    trial.robot.boa.spine.send(frame, trial.robot.can_clock.now_ns)


def operator_disarms(trial: Trial) -> None:
    """~/disarm is called."""
    trial.supervisor.disarm()
