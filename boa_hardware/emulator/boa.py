# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The whole emulated Boa: one body, servos on a line and link boards on a spine, and what goes
wrong with them.
"""

from collections.abc import Callable
from dataclasses import replace

from boa_control.experiments.experiment import Experiment
from boa_control.experiments.scenario import Effects, GearboxEffect, PlantSettings
from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_description.robot import Robot
from boa_hardware.config import RobotSettings
from boa_hardware.emulator.body import SUPPLY, BodyLink, BodyServo, EmulatedBody, middle_seat
from boa_hardware.emulator.link_physics import LinkPhysics
from boa_hardware.emulator.script import FaultScript, ServoFaultEntry
from boa_hardware.emulator.servo import EmulatedServo
from boa_hardware.emulator.servo_chain import configured_chain
from boa_hardware.emulator.servo_faults import LineFaults
from boa_hardware.emulator.spine_emulator import emulate_spine
from boa_hardware.emulator.spine_faults import SpineFaults
from boa_hardware.emulator.wiring import Wiring
from boa_hardware.servo.registers import HardwareError
from boa_sim.factory import plant_from_experiment
from boa_sim.plant import SimulatedPlant

HARDWARE_ERRORS = {
    "overload": HardwareError.OVERLOAD,
    "encoder": HardwareError.ENCODER,
}
WRITTEN = {"torque_off": "torque_enable", "watchdog_off": "bus_watchdog", "pwm_zero": "goal_pwm"}
HOT, LOW = 85.0, 5.0  # degC, V
OWN_GEARBOX = GearboxEffect(backlash=0.0)
# s; sensors are read between any two steps: rates that alternate from one to the next would show
LONGEST_STEP = 0.001


class EmulatedBoa:
    """One robot as its two buses see it, without any I/O; times are s (line) and ns (spine) since
    its start.

    Args:
        settings: wiring; the emulated robot is set up as these say.
        experiment: robot, obstacles and start pose; None: boa13, straight, on a free frictionless
            floor.
        script: what goes wrong.
        wiring: what is put together otherwise than `settings` say.
        seed: of noise, disturbances and random faults.
        gearbox: of a robot without experiment; None: without losses.
        real_time: the machine may be too slow; see EmulatedBody.

    Attributes:
        body: motors and physics, with ground truth.
        chain, line_faults: servos and the faults of their line.
        spine: link boards, wire and their faults.
    """

    def __init__(
        self,
        settings: RobotSettings | None = None,
        experiment: Experiment | None = None,
        script: FaultScript | None = None,
        wiring: Wiring | None = None,
        *,
        gearbox: GearboxEffect | None = None,
        seed: int = 0,
        real_time: bool = False,
    ) -> None:
        self.settings = settings or RobotSettings()
        self.robot = experiment.robot if experiment is not None else load_robot("boa13")
        self.body = EmulatedBody(
            _world(experiment, self.robot, gearbox, seed).world, self.robot, real_time=real_time
        )
        servos = self.settings.servo_settings(self.robot)
        spine = self.settings.spine_settings()
        wiring = wiring or Wiring()
        wiring.require(self.robot)
        seats = [
            BodyServo(self.body, joint, wiring.seat(joint, seat), wiring.motor_sign(joint))
            for joint, seat in enumerate(servos.joints)
        ]
        self.chain = configured_chain(servos, seats, ids=wiring.ids(servos.ids))
        self.line_faults = LineFaults(seed=seed)
        self.spine_faults = SpineFaults(seed=seed)
        first = 1 if spine.force_board == "head_side" else 0

        def sensors(board: int) -> LinkPhysics:
            link = wiring.link_of_board(board)
            near = link - first if 0 <= link - first < self.robot.joints else None
            joint = wiring.joint_of_channel(near)
            return wiring.sensors(BodyLink(self.body, link, joint), link, joint)

        links = [sensors(board) for board in range(self.robot.links)]
        behind_boards = [
            BodyServo(self.body, joint, middle_seat(joint)) for joint in range(self.robot.joints)
        ]
        self.spine = emulate_spine(
            self.robot,
            spine,
            links,
            servos=behind_boards if self.settings.topology == "spine" else None,
            faults=self.spine_faults,
            seed=seed,
        )
        self._servo_faults: list[ServoFaultEntry] = []
        self._unplugged: list[Callable[[float], bool]] = []
        self._struck: set[int] = set()
        self.add(script or FaultScript())

    def add(self, script: FaultScript) -> None:
        """Let more go wrong; times count from the emulator's start.

        Raises:
            BoaError: a servo or link that is not there.
        """
        servos, links = [one.id for one in self.chain.servos], range(1, self.robot.links + 1)
        for what, named, there in (
            ("servo", (entry.id for entry in script.servos), servos),
            ("link", (fault.link for fault in script.spine), links),
        ):
            for number in named:
                if number is not None and number not in there:
                    raise BoaError(
                        f"faults: {what} {number}, robot {self.robot.name} has {what}s "
                        f"{', '.join(map(str, there))}"
                    )
        for entry in script.servo_line:
            if entry.kind == "unplug":
                self._unplugged.append(entry.acts)
            else:
                self.line_faults.rules.append(entry)
        self._servo_faults += script.servos
        for fault in script.spine:
            self.spine_faults.add(fault)

    def line_unplugged(self, now: float) -> bool:
        """Whether the serial adapter is out."""
        return any(acts(now) for acts in self._unplugged)

    def apply_faults(self, now: float) -> None:
        """Let the servos' faults begin and end; call every few milliseconds, holding the line's
        lock.
        """
        for entry in self._servo_faults:
            for servo in self.chain.servos:
                if entry.id in (None, servo.id):
                    self._apply(entry, servo, now)

    def _apply(self, entry: ServoFaultEntry, servo: EmulatedServo, now: float) -> None:
        joint = self.chain.servos.index(servo)
        acts, key = entry.acts(now), hash((id(entry), servo.id))
        if entry.kind == "silent":
            servo.silent = acts
        elif entry.kind == "brown_out":
            self.body.supply(
                joint, (LOW if entry.amount is None else entry.amount) if acts else SUPPLY
            )
        elif acts and key not in self._struck:
            self._struck.add(key)
            if entry.kind == "overheat":
                self.body.heat(joint, HOT if entry.amount is None else entry.amount)
            elif entry.kind == "restart":
                servo.reboot(now)
            elif entry.kind in WRITTEN:
                servo.table[WRITTEN[entry.kind]] = 0
            else:
                servo.trip(HARDWARE_ERRORS[entry.kind])


def _world(
    experiment: Experiment | None, robot: Robot, gearbox: GearboxEffect | None, seed: int
) -> SimulatedPlant:
    """The simulated world of a scenario, with gearboxes that lose as the real robot's unless the
    scenario chooses others, and with short steps.
    """
    if experiment is None:
        return SimulatedPlant(robot, settings=PlantSettings(effects=Effects(gearbox=gearbox)))
    settings = experiment.scenario.plant
    gearbox = settings.effects.gearbox or OWN_GEARBOX
    effects = settings.effects.model_copy(update={"gearbox": gearbox})
    step = min(settings.physics_step, LONGEST_STEP)
    plant = settings.model_copy(update={"effects": effects, "physics_step": step})
    scenario = experiment.scenario.model_copy(update={"plant": plant})
    return plant_from_experiment(replace(experiment, scenario=scenario), seed)
