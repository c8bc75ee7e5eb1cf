# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa servo` against emulated servos in simulated time."""

from __future__ import annotations

import contextlib
import io
from functools import partial
from pathlib import Path

import pytest

from boa_hardware.block_file import save_block
from boa_hardware.emulator.servo import EmulatedServo
from boa_hardware.emulator.servo_chain import ServoChain
from boa_hardware.servo import bus, link, pace
from boa_hardware.servo.bus import ServoBus
from boa_hardware.servo.cycle import ServoCycle
from boa_hardware.servo.link import ServoLink
from boa_hardware.servo.obedience import Counts
from boa_hardware.servo.registers import HardwareError
from boa_hardware.servo.settings import ServoBusSettings, ServoJoint
from boa_tools.cli import main
from test.boa_hardware.free_joint import FreeJoint, free_chain
from test.boa_hardware.virtual_line import VirtualClock, VirtualLine

SETTINGS = ServoBusSettings(joints=tuple(ServoJoint(id=number) for number in (1, 2)))
PORT = "/dev/simulated"
RECORDING = Path(__file__).parents[2] / "data" / "boa_lab" / "servo_moving.csv"


class Time:
    """Stands in for the module `time`: the servos' own time, which passes while somebody sleeps."""

    def __init__(self, line: VirtualLine, clock: VirtualClock) -> None:
        self._line, self.monotonic_ns = line, clock

    def sleep(self, seconds: float) -> None:
        self._line.let_pass(self.monotonic_ns() + round(seconds * 1e9))


def plug_in(chain: ServoChain, monkeypatch: pytest.MonkeyPatch) -> str:
    """The port with these servos, whichever port is opened."""
    clock = VirtualClock()
    line = VirtualLine(chain, None, clock)
    line.start()
    monkeypatch.setattr(link, "ServoLink", partial(ServoLink, make_port=line.host))
    monkeypatch.setattr(bus, "ServoBus", partial(ServoBus, make_port=line.host))
    monkeypatch.setattr(pace, "time", Time(line, clock))
    return PORT


@pytest.fixture
def chain() -> ServoChain:
    return free_chain(SETTINGS)


@pytest.fixture
def port(chain: ServoChain, monkeypatch: pytest.MonkeyPatch) -> str:
    return plug_in(chain, monkeypatch)


@pytest.fixture
def small(tmp_path: Path) -> list[str]:
    """Arguments for a robot of three links with servos 1 and 2."""
    save_block(SETTINGS, tmp_path / "servos.yaml")
    return ["--robot", "boa3", "--settings", str(tmp_path / "servos.yaml")]


def test_scan(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["servo", "scan", "--port", port]) == 0
    out = capsys.readouterr().out
    assert "id   1  model 1150 (XH540-V150-R)  firmware 46" in out
    assert "2 servos found" in out
    assert main(["servo", "scan", "--port", port, "--baud", "1000000"]) == 1
    assert "try --all" in capsys.readouterr().out


def test_info(port: str, chain: ServoChain, capsys: pytest.CaptureFixture[str]) -> None:
    chain.servo(2).trip(HardwareError.OVERLOAD)
    assert main(["servo", "info", "--port", port, "--id", "2"]) == 0
    out = capsys.readouterr().out
    assert "present_input_voltage" in out
    assert "24 V" in out
    assert "hardware error: overload" in out


def test_set_id_and_baud(port: str, chain: ServoChain) -> None:
    assert main(["servo", "set-id", "--port", port, "--id", "2", "--new", "9"]) == 0
    assert main(["servo", "set-baud", "--port", port, "--id", "9", "--new", "1000000"]) == 0
    assert chain.servo(9).baud == 1_000_000


def test_a_servo_that_is_not_there_gets_no_new_id(
    port: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["servo", "set-id", "--port", port, "--id", "4", "--new", "5"]) == 1
    assert "servo 4 did not answer" in capsys.readouterr().err


def test_configure(
    port: str, chain: ServoChain, small: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    chain.servo(1).table["return_delay_time"] = 250
    assert main(["servo", "configure", "--port", port, "--dry-run", *small]) == 1
    assert "return_delay_time is 250 instead of 0" in capsys.readouterr().out
    assert chain.servo(1).table["return_delay_time"] == 250
    assert main(["servo", "configure", "--port", port, *small]) == 0
    assert "servo 1: return_delay_time 250 -> 0" in capsys.readouterr().out
    assert chain.servo(1).table["return_delay_time"] == 0


def test_configure_takes_the_wiring_of_the_robot(
    port: str, chain: ServoChain, tmp_path: Path
) -> None:
    """The file that the launch takes as hardware:=, too."""
    wiring = tmp_path / "my_robot.yaml"
    wiring.write_text(
        "topology: rs485\nservos: {current_limit: 0.81, joints: [{id: 1}, {id: 2}]}\n"
    )
    words = ["--robot", "boa3", "--settings", str(wiring)]
    assert main(["servo", "configure", "--port", port, *words]) == 0
    assert [servo.table["current_limit"] for servo in chain.servos] == [301, 301]


@pytest.mark.parametrize("action", [["jog", "--current", "0.2"], ["identify"]])
def test_nothing_moves_unarmed(
    port: str,
    chain: ServoChain,
    small: list[str],
    action: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["servo", *action, "--port", port, "--id", "1", *small]) == 2
    assert "--arm" in capsys.readouterr().err
    assert not chain.servo(1).torque_on


def test_jog_moves_one_joint_and_lets_go(
    port: str, chain: ServoChain, small: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    moved, other = chain.servo(1).physics, chain.servo(2).physics
    assert isinstance(moved, FreeJoint) and isinstance(other, FreeJoint)
    before = moved.position, other.position
    arguments = [
        "--id",
        "1",
        "--current",
        "0.3",
        "--seconds",
        "0.3",
        "--travel",
        "0.1",
        "--arm",
        *small,
    ]
    assert main(["servo", "jog", "--port", port, *arguments]) == 0
    assert "torque is off" in capsys.readouterr().out
    assert moved.position > before[0] + 0.02
    assert other.position == before[1]
    assert not chain.servo(1).torque_on


def test_jog_does_not_drive_a_joint_that_has_not_told_where_it_is(
    port: str,
    chain: ServoChain,
    small: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Its way would be NaN, and no travel would stop it."""
    servo, exchange = chain.servo(1), ServoBus.exchange
    heard = []

    def once_deaf(self: ServoBus, goal: Counts | None) -> ServoCycle:
        servo.silent = goal is not None and not heard
        heard.extend([] if goal is None else [goal])
        try:
            return exchange(self, goal)
        finally:
            servo.silent = False

    monkeypatch.setattr(ServoBus, "exchange", once_deaf)
    assert isinstance(servo.physics, FreeJoint)
    before = servo.physics.position
    words = ["--id", "1", "--current", "0.3", "--travel", "0.1", "--arm", *small]
    assert main(["servo", "jog", "--port", port, *words]) == 1
    assert "servo 1 does not tell its position under torque" in capsys.readouterr().err
    assert servo.physics.position == before
    assert not servo.torque_on


def test_a_sweep_that_could_not_be_kept_does_not_move_the_joint(
    port: str, chain: ServoChain, small: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    servo = chain.servo(1)
    assert isinstance(servo.physics, FreeJoint)
    before = servo.physics.position
    words = ["--id", "1", "--arm", "--amplitude", "0.1", "--out", "nowhere/one.csv", *small]
    with pytest.raises(SystemExit):
        main(["servo", "identify", "--port", port, *words])
    assert "there is no folder 'nowhere'" in capsys.readouterr().err
    assert servo.physics.position == before


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--current", "99", "above the limit of 2.4 A"),
        ("--current", "0", "other than 0"),
        ("--seconds", "-1", "not a number above zero"),
        ("--travel", "-0.3", "not a number above zero"),
    ],
)
def test_jog_refuses_what_it_cannot_do(
    port: str,
    chain: ServoChain,
    small: list[str],
    capsys: pytest.CaptureFixture[str],
    option: str,
    value: str,
    says: str,
) -> None:
    joint = chain.servo(1).physics
    assert isinstance(joint, FreeJoint)
    before = joint.position
    words = ["servo", "jog", "--port", port, "--id", "1", "--arm", *small, f"{option}={value}"]
    with contextlib.suppress(SystemExit):  # argparse ends by it
        assert main(words) == 2
    assert says in capsys.readouterr().err
    assert joint.position == before


def test_reboot_is_confirmed_and_ends_a_hardware_error(
    port: str,
    chain: ServoChain,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chain.servo(2).trip(HardwareError.OVERLOAD)
    words = ["servo", "reboot", "--port", port, "--id", "2"]
    monkeypatch.setattr("sys.stdin", io.StringIO())  # no terminal: nobody to ask
    assert main(words) == 2
    assert "confirm with --yes" in capsys.readouterr().err
    assert chain.servo(2).table["hardware_error_status"]
    assert main([*words, "--yes"]) == 0
    assert "hardware error: none" in capsys.readouterr().out
    assert not chain.servo(2).table["hardware_error_status"]


def test_scan_tells_of_servos_that_share_an_id(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ten new servos on one line: ID 1, 57,600 bit/s, at different joint angles."""
    joints = [FreeJoint(position=0.3 * number) for number in range(10)]
    port = plug_in(ServoChain([EmulatedServo(1, joint) for joint in joints]), monkeypatch)
    assert main(["servo", "scan", "--port", port, "--baud", "57600"]) == 1
    assert "several servos share ID 1" in capsys.readouterr().out


def test_ctrl_c_says_what_is_in_the_eeprom(
    port: str,
    chain: ServoChain,
    small: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    chain.servo(1).table["return_delay_time"] = 250
    chain.servo(1).table["current_limit"] = 300

    def stop_at(link: ServoLink, servo: int, name: str, raw: int) -> None:
        write(link, servo, name, raw)
        if name == "return_delay_time":
            raise KeyboardInterrupt

    write = ServoLink.write_verified
    monkeypatch.setattr(ServoLink, "write_verified", stop_at)
    assert main(["servo", "configure", "--port", port, *small]) == 130
    error = capsys.readouterr().err
    assert "torque is off; written to EEPROM: servo 1 return_delay_time = 0" in error
    assert "current_limit" not in error


def test_ctrl_c_in_a_jog_says_that_nothing_is_kept(
    port: str,
    chain: ServoChain,
    small: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def stop(*_: object) -> None:
        assert chain.servo(1).torque_on
        raise KeyboardInterrupt

    monkeypatch.setattr("boa_hardware.servo.jog.Brake.update", stop)
    assert main(["servo", "jog", "--port", port, "--id", "1", "--arm", *small]) == 130
    assert "torque is off; EEPROM unchanged" in capsys.readouterr().err
    assert not chain.servo(1).torque_on


def test_jog_reports_a_lost_servo(
    port: str, small: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["servo", "jog", "--port", port, "--id", "7", "--arm", *small]) == 2
    assert "servo 7 is not in the settings" in capsys.readouterr().err


def test_identify_from_a_recording(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["servo", "identify", "--from", str(RECORDING)]) == 0
    assert "coulomb" in capsys.readouterr().out
    assert main(["servo", "identify", "--from", "none.csv"]) == 2
    given = ["servo", "identify", "--from", str(RECORDING), "--gearbox", "mine.yaml"]
    assert main(given) == 2
    assert "--gearbox needs --lever" in capsys.readouterr().err


def test_wrong_ports_and_rates_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["servo", "scan", "--port", "/dev/none"]) == 1
    assert "no such port" in capsys.readouterr().err
    assert main(["servo", "scan", "--port", "/dev/none", "--baud", "12345"]) == 2
    assert "baud rate 12345" in capsys.readouterr().err
