# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Faults of the servo bus in words: which servo, what, and the remedy. Faults of the plant stay
until they are reset.
"""

import re
from collections.abc import Iterable, Sequence

import numpy as np

from boa_hardware.servo.cycle import ServoCycle
from boa_hardware.servo.obedience import Disobedience, Reason
from boa_hardware.servo.protocol import ALERT, describe_error
from boa_hardware.servo.quality import Gap
from boa_hardware.servo.registers import PWM_FULL, WATCHDOG_TICK, describe_hardware_error
from boa_hardware.servo.settings import ServoBusSettings

MAX_FAULTS = 20  # the first ones tell the story
_CHANGING = re.compile(r"\d+\.\d+|\d+ ticks")  # ages and counts: the same fault a tick later
SOME = 3  # missed replies in a row that age makes a silence
_BY_ANOTHER = "another program has written it; stop that, then reset the fault"
_DISOBEDIENCE = {
    Reason.TORQUE_OFF: f"torque is off though armed (Torque Enable {{value}}); {_BY_ANOTHER}",
    Reason.WATCHDOG_TRIPPED: "Bus Watchdog has tripped, so goals are ignored; the bus was silent "
    "for too long; reset the fault and arm again",
    Reason.WATCHDOG_CHANGED: f"Bus Watchdog is not as armed (reads {{value}}); {_BY_ANOTHER}",
    Reason.PWM_LOWERED: f"Goal PWM is {{value}} of {{full}}, so torque is missing; {_BY_ANOTHER}",
    Reason.FOREIGN_GOAL: "another master on the bus: Goal Current is {value} counts, which this "
    "program has not written; stop the other program, then reset the fault",
    Reason.GOAL_IGNORED: "goals are ignored: Goal Current stays at {value} counts; reset the "
    "fault, or reboot the servo",
    Reason.OLD_ANSWERS: "answers are old ones (Realtime Tick {value} ms does not go on); reboot "
    "the servo or plug the adapter in again, then reset the fault",
    Reason.NO_CURRENT: "torque is asked and no current flows: a PANIC keeps servos off; switch "
    "their power off and on, then reset the fault",
}


class FaultLatch:
    """Keeps the first wording of every fault, in order of appearance."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    @property
    def texts(self) -> tuple[str, ...]:
        """The latched faults."""
        return tuple(self._texts.values())

    def __bool__(self) -> bool:
        return bool(self._texts)

    def add(self, faults: Iterable[str]) -> bool:
        """Latch faults; True if these are the first ones."""
        was_clear = not self._texts
        for text in faults:
            if len(self._texts) < MAX_FAULTS:
                self._texts.setdefault(_CHANGING.sub("", text), text)
        return was_clear and bool(self._texts)

    def clear(self) -> None:
        """Forget everything."""
        self._texts.clear()


def cycle_faults(
    cycle: ServoCycle, settings: ServoBusSettings, names: Sequence[str]
) -> tuple[str, ...]:
    """Reasons in this sample to stop the robot; empty when it may go on.

    A missed reply is no fault before it is the `miss_limit`-th in a row, or the last of some while
    the last answer is older than `silence`. Age alone tells nothing: perhaps this program stood
    still.

    Args:
        cycle: the newest sample.
        settings: of the same bus.
        names: of the joints, in order.
    """
    silent = (cycle.age > settings.silence) & np.isfinite(cycle.age)
    lost = (cycle.misses >= settings.miss_limit) | (silent & (cycle.misses >= SOME))
    disobedience = _disobedience(cycle.disobedient)
    alike = set(disobedience.values())
    if len(disobedience) == len(names) > 1 and len(alike) == 1:
        return (f"all servos: {alike.pop()}",)
    if lost.all():
        ticks = f"no servo has answered for {int(cycle.misses.min())} ticks"
        if cycle.late:
            return (
                f"{ticks} in time: answers come after the deadline; set the adapter's latency "
                f"timer to 1 ms or raise reply_margin ({settings.reply_margin:g} s)",
            )
        return (f"{ticks}; check 24 V supply, adapter and cable",)
    faults = []
    for index, (servo, name) in enumerate(zip(settings.ids, names, strict=True)):
        text = (
            _own_error(cycle, index)
            or disobedience.get(index, "")
            or _answer_fault(cycle, index, lost=bool(lost[index]))
        )
        if text:
            faults.append(f"servo {servo} ({name}): {text}")
    if cycle.watchdog_expired:
        faults.append(
            f"the bus was silent for so long that the servo watchdog of {settings.watchdog:g} s, "
            f"which counts in steps of {WATCHDOG_TICK:g} s, may have stopped servos; reset the "
            "fault and arm again"
        )
    return tuple(faults)


def _disobedience(found: Sequence[Disobedience]) -> dict[int, str]:
    """What each disobedient servo does, by joint."""
    return {
        one.joint: _DISOBEDIENCE[one.reason].format(value=one.value, full=PWM_FULL) for one in found
    }


def _own_error(cycle: ServoCycle, index: int) -> str:
    """What the servo itself reports."""
    hardware = int(cycle.hardware_error[index])
    if cycle.lost_setup[index]:
        return (
            "has restarted (brown-out?) and lost its set-up; check the supply, then reset the fault"
        )
    if hardware:
        return (
            f"hardware error: {describe_hardware_error(hardware)}; remove the cause, then "
            f"reset the fault (without the node: `boa servo reboot`)"
        )
    if int(cycle.error[index]) & ALERT:
        return "reports a hardware error; read it with `boa servo info`, then reset the fault"
    return ""


def _answer_fault(cycle: ServoCycle, index: int, *, lost: bool) -> str:
    """What is wrong with its answers."""
    error = int(cycle.error[index])
    if lost:
        ticks = f"no reply for {int(cycle.misses[index])} ticks"
        if cycle.late:
            return (
                f"{ticks} in time: answers come after the deadline; set the adapter's latency "
                "timer to 1 ms, then reset the fault"
            )
        return f"{ticks}; check its cable and power"
    if error:
        return f"answers with {describe_error(error)}; reset the fault"
    return ""


def gap_texts(
    gaps: Sequence[Gap], settings: ServoBusSettings, names: Sequence[str]
) -> tuple[str, ...]:
    """Servos whose answers come too seldom: one line each, or one where it is all of them."""
    texts = [
        f"no fresh answer for {gap.share:.0%} of the last {gap.window:g} s (longest "
        f"{gap.longest * 1e3:.0f} ms)"
        for gap in gaps
    ]
    if len({gap.joint for gap in gaps}) == len(names) > 1:
        worst = max(zip(gaps, texts, strict=True), key=lambda pair: pair[0].share)[1]
        return (f"all servos: {worst}; check adapter, supply and load of the computer",)
    return tuple(
        f"servo {settings.ids[gap.joint]} ({names[gap.joint]}): {text}; check its cable"
        for gap, text in zip(gaps, texts, strict=True)
    )


def supply_texts(
    cycle: ServoCycle, settings: ServoBusSettings, names: Sequence[str]
) -> tuple[str, ...]:
    """Warnings of a low supply, before servos shut down."""
    low = np.flatnonzero(cycle.voltage < settings.warn_voltage).tolist()
    if not low:
        return ()
    limits = f"warning below {settings.warn_voltage:g} V, off below {settings.lowest_voltage:g} V"
    remedy = "charge or check the supply"
    if len(low) == len(names) > 1:
        return (f"all servos: supply {cycle.voltage.min():.1f} V, {limits}; {remedy}",)
    return tuple(
        f"servo {settings.ids[joint]} ({names[joint]}): supply {cycle.voltage[joint]:.1f} V, "
        f"{limits}; {remedy} and its cable"
        for joint in low
    )
