# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Steps one after the other, with the record on disk: written after each, begun again where it
ended.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryFile

from boa_control.plant import PlantError
from boa_description.errors import BoaError
from boa_description.robot import Robot
from boa_hardware.block_file import save_block
from boa_hardware.calibration.record import (
    REQUIRED_STEPS,
    CalibrationRecord,
    begun,
    differences,
    load_record,
    save_record,
)
from boa_hardware.servo.settings import ServoBusSettings
from boa_tools.commission.bench import Bench
from boa_tools.commission.operator import NoOperator, Operator
from boa_tools.commission.prior import prior
from boa_tools.commission.step import Outcome, Step, Verdict

Tell = Callable[[str], None]


class RecordFile:
    """The record of one robot on disk, and that of last time beside it.

    Attributes:
        path: of the record. last: where `renew` puts the one before. unfinished: where it puts one
            that lacks steps, or that cannot be read.
        prior: what a controller may begin with, as `boa run --identified` does.
        done: names of the steps of the record that was loaded or saved last.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.last = path.with_suffix(f".last{path.suffix}")
        self.unfinished = path.with_suffix(f".unfinished{path.suffix}")
        self.prior = path.with_suffix(f".identified{path.suffix}")
        self.done: tuple[str, ...] = ()

    def renew(self, robot: Robot) -> None:
        """Begin again. The present record becomes that of last time if it is complete: one that was
        only begun must not take its place.
        """
        if not self.path.exists():
            return
        try:
            complete = not load_record(self.path, robot).missing(REQUIRED_STEPS)
        except BoaError:
            complete = False
        self.path.replace(self.last if complete else self.unfinished)

    def load(self, robot: Robot, servos: ServoBusSettings) -> CalibrationRecord:
        """The record; one without any step where there is none. Raises BoaError."""
        record = load_record(self.path, robot) if self.path.exists() else begun(robot, servos)
        self.done = tuple(record.steps)
        return record

    def require_writable(self) -> None:
        """Raises BoaError where it cannot be written: after a step it is late to say so."""
        try:
            TemporaryFile(dir=self.path.absolute().parent).close()
        except OSError as error:
            raise BoaError(
                f"calibration record {self.path} cannot be written ({error.strerror}); give "
                "--record FILE in a folder that can"
            ) from error

    def save(self, record: CalibrationRecord, robot: Robot) -> CalibrationRecord:
        """Write the record with its hash, and once friction is known what a controller may begin
        with. Returns what was written.
        """
        sealed = save_record(record, self.path)
        self.done = tuple(sealed.steps)
        if sealed.friction:
            save_block(prior(sealed, robot), self.prior)
        return sealed

    def before(self, robot: Robot) -> CalibrationRecord | None:
        """That of last time. Raises BoaError where it cannot be read."""
        return load_record(self.last, robot) if self.last.exists() else None


def commission(
    bench: Bench,
    operator: Operator,
    steps: Sequence[Step],
    file: RecordFile,
    tell: Tell,
    *,
    repeat: bool = False,
) -> bool:
    """Run the steps that are not done yet, or with `repeat` all of them; whether all are done.

    Raises:
        BoaError: the record cannot be read, or not be written.
        PlantError: a step could not be carried out; those before it are kept.
    """
    file.require_writable()
    record = file.load(bench.robot, bench.settings.servo_settings(bench.robot))
    for number, step in enumerate(steps, start=1):
        if step.name in record.steps and not repeat:
            continue
        tell(f"[{number}/{len(steps)}] {step.name}: {step.summary}")
        bench.use(record)
        try:
            outcome = step.run(bench, operator, record)
        except PlantError as error:
            raise PlantError(f"{error}; `boa commission` again goes on with {step.name}") from error
        _show(outcome, tell)
        if not outcome.right:
            tell(
                "repair what is WRONG, then run `boa commission` again: it goes on with "
                f"{step.name}"
            )
            return False
        found = tuple(str(finding) for finding in outcome.findings)
        record = file.save(outcome.record.with_step(step.name, operator.name, found), bench.robot)
    if record.friction:
        tell(f"hoal may begin with its friction: identified:={file.prior}")
    last = file.before(bench.robot)
    if last is not None:
        tell("what differs from the record of last time:")
        for line in differences(last, record) or ["nothing"]:
            tell(f"  {line}")
    left = ", ".join(record.missing(REQUIRED_STEPS))
    done = f"still to be done: {left}" if left else "all steps are done"
    tell(f"{done}: {file.path}, hash {record.hash[:12]}")
    return True


def check(bench: Bench, record: CalibrationRecord, steps: Sequence[Step], tell: Tell) -> bool:
    """Repeat what needs no hands against the record, which stays as it is; whether all is right."""
    bench.use(record)
    right = True
    for step in steps:
        tell(f"{step.name}: {step.summary}")
        outcome = step.run(bench, NoOperator(), record)
        _show(outcome, tell)
        right = right and all(one.verdict is Verdict.NOTE for one in outcome.findings)
        if not outcome.right:
            break  # what follows would only repeat it in other words
    tell("as in the record" if right else "not as in the record")
    return right


def _show(outcome: Outcome, tell: Tell) -> None:
    for finding in outcome.findings:
        tell(f"  {finding}")
    if not outcome.findings:
        tell("  right")
