# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The doctor sees what is wrong and says what to do."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial

import pytest

from boa_description.load import load_robot
from boa_hardware.calibration.angles import rezeroed
from boa_hardware.calibration.record import REQUIRED_STEPS, ServoIdentity, begun
from boa_hardware.sensors.k3d40 import nominal_calibration
from boa_hardware.servo.link import ServoLink
from boa_hardware.servo.settings import default_settings, load_settings
from boa_hardware.spine.settings import SpineSettings
from boa_tools.cli import main
from boa_tools.doctor import adapters, calibration, machine, robot, ros
from boa_tools.doctor.check import Answer
from test.boa_hardware.free_joint import free_chain
from test.boa_hardware.virtual_line import VirtualClock, VirtualLine


def test_this_python_and_its_packages_are_right():
    assert machine.python().answer is Answer.YES
    assert machine.packages().answer is Answer.YES


def test_an_old_python_is_seen(monkeypatch):
    monkeypatch.setattr(machine.sys, "version_info", (3, 9, 1))
    assert machine.python().answer is Answer.NO


def test_missing_packages_are_named(monkeypatch):
    monkeypatch.setattr(
        machine, "requires", lambda _: ["numpy>=2", "no-such-thing>=1; python_version > '3'"]
    )
    check = machine.packages()
    assert (
        check.answer is Answer.NO
        and check.text == "missing: no-such-thing"
        and "make setup" in check.remedy
    )


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        (None, Answer.NOTE),
        ("7", Answer.YES),
        ("0", Answer.YES),
        ("233", Answer.NO),
        ("x", Answer.NO),
    ],
)
def test_ros_domain(monkeypatch, value, answer):
    monkeypatch.delenv("ROS_DOMAIN_ID", raising=False)
    if value is not None:
        monkeypatch.setenv("ROS_DOMAIN_ID", value)
    assert ros.domain().answer is answer


@pytest.mark.parametrize(
    ("value", "answer"), [(None, Answer.NOTE), ("LOCALHOST", Answer.YES), ("HOME", Answer.NO)]
)
def test_discovery_range(monkeypatch, value, answer):
    monkeypatch.delenv("ROS_AUTOMATIC_DISCOVERY_RANGE", raising=False)
    if value is not None:
        monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", value)
    assert ros.reach().answer is answer


def test_a_middleware_that_is_not_there(monkeypatch):
    monkeypatch.setenv("RMW_IMPLEMENTATION", "rmw_carrier_pigeon")
    assert ros.middleware().answer is Answer.NO


def interface(root, name, kind, flags, state):
    folder = root / name
    folder.mkdir()
    for file, text in (("type", kind), ("flags", flags), ("operstate", state)):
        (folder / file).write_text(f"{text}\n")


def test_can_interfaces(tmp_path, monkeypatch):
    monkeypatch.setattr(adapters, "NET", tmp_path)
    interface(tmp_path, "eth0", 1, "0x1003", "up")
    assert [check.answer for check in adapters.can_interfaces()] == [Answer.NOTE]
    interface(tmp_path, "can0", 280, "0x40080", "down")
    interface(tmp_path, "can1", 280, "0x40081", "up")
    down, up = adapters.can_interfaces()
    assert (down.what, down.answer, up.what, up.answer) == ("can0", Answer.NO, "can1", Answer.YES)
    assert "ip link set can0 up type can bitrate 1000000" in down.remedy


def test_a_slow_latency_timer_has_a_remedy(tmp_path, monkeypatch):
    (tmp_path / "ttyUSB3").mkdir()
    setting = tmp_path / "ttyUSB3" / "latency_timer"
    monkeypatch.setattr(adapters, "USB_SERIAL", tmp_path)
    setting.write_text("16\n")
    check = adapters.latency("/dev/ttyUSB3", "FT232R")
    assert check.answer is Answer.NO and "16 ms" in check.text and str(setting) in check.remedy
    setting.write_text("1\n")
    assert adapters.latency("/dev/ttyUSB3", "FT232R").answer is Answer.YES
    assert adapters.latency("/dev/ttyACM0", "CANable").answer is Answer.YES


def test_buses_that_are_not_there():
    boa3 = load_robot("boa3")
    (servo,) = robot.servos("/dev/no_such_port", default_settings(boa3))
    assert servo.answer is Answer.NO and "/dev/no_such_port" in servo.text
    (spine,) = robot.sensors(SpineSettings(channel="slcan:/dev/no_such_port"), boa3)
    assert spine.answer is Answer.NO and "/dev/no_such_port" in spine.text


def test_a_line_reads_well():
    line = str(robot.no("servo 3", "no reply at 3000000 bit/s", "check its cable"))
    assert line == "NO   servo 3               no reply at 3000000 bit/s; check its cable"


@contextmanager
def plugged_in(settings, monkeypatch):
    """The port of servos in simulated time."""
    with VirtualLine(free_chain(settings), None, VirtualClock()) as line:
        monkeypatch.setattr(robot, "ServoLink", partial(ServoLink, make_port=line.host))
        yield "/dev/simulated"


def test_servos_that_are_set_up_are_right(monkeypatch):
    settings = default_settings(load_robot("boa3"))
    with plugged_in(settings, monkeypatch) as port:
        found = list(robot.servos(port, settings))
    assert [(check.what, check.answer) for check in found] == [
        ("servo 1", Answer.YES),
        ("servo 2", Answer.YES),
        ("supply", Answer.YES),
    ]


def test_a_low_supply_is_seen(monkeypatch):
    """At 16.8 V servos of 24 V turn, but not as fast as the controller counts on."""
    settings = default_settings(load_robot("boa3"))
    with plugged_in(settings, monkeypatch) as port:
        read = ServoLink.read

        def sagging(link, servo, name):
            low = name == "present_input_voltage" and servo == 2
            return 168 if low else read(link, servo, name)

        monkeypatch.setattr(ServoLink, "read", sagging)
        found = list(robot.servos(port, settings))
    (supply,) = (check for check in found if check.what == "supply")
    assert supply.answer is Answer.NO and "16.8 V at servo 2" in supply.text


def test_a_missing_servo_is_named(monkeypatch):
    boa3 = default_settings(load_robot("boa3"))
    boa4 = default_settings(load_robot("boa13", links=4))
    with plugged_in(boa3, monkeypatch) as port:
        found = list(robot.servos(port, boa4))
    assert [check.answer for check in found[:3]] == [Answer.YES, Answer.YES, Answer.NO]
    assert found[2].what == "servo 3" and "no reply" in found[2].text


def test_servos_are_compared_with_the_wiring_that_the_robot_is_launched_with(
    tmp_path, monkeypatch, capsys
):
    """A first day has 0.81 A; "instead of 2.4 A" and its remedy would lift that."""
    wiring = tmp_path / "my_robot.yaml"
    wiring.write_text(
        "serial_port: /dev/simulated\nservos: {current_limit: 0.81, joints: [{id: 1}, {id: 2}]}\n"
    )
    with plugged_in(load_settings(wiring), monkeypatch):
        assert main(["doctor", "--robot", "boa3", "--hardware", str(wiring)]) == 1
        said = capsys.readouterr().out
        assert main(["doctor", "--robot", "boa3", "--port", "/dev/simulated"]) == 1
        nominal = capsys.readouterr().out
    assert said.count("EEPROM as it should be") == 2
    assert "spine: cannot open 'socketcan:can0'" in said
    assert "current_limit is 301 instead of 892" in nominal


def asked(record, monkeypatch, fitted=None):
    """What the doctor says of a boa3's calibration, with its servos in simulated time. `fitted`:
    settings of those that are there; None: all.
    """
    boa3 = load_robot("boa3")
    settings = default_settings(boa3)

    def both(port):
        found = yield from robot.servos(port, settings)
        yield from calibration.checks(boa3, record, found)

    with plugged_in(fitted or settings, monkeypatch) as port:
        return [check for check in both(port) if check.what == calibration.WHAT]


def commissioned():
    """The record of a boa3 whose steps are all done, without serial numbers made up."""
    boa3 = load_robot("boa3")
    servos = default_settings(boa3)
    sensor = nominal_calibration(boa3.force_sensor.range)
    with (
        VirtualLine(free_chain(servos), None, VirtualClock()) as line,
        ServoLink("/dev/simulated", servos.baud, make_port=line.host) as link,
    ):
        identities = tuple(ServoIdentity.of(link.ping(servo)) for servo in (1, 2))
    record = begun(boa3, servos).model_copy(
        update={
            "servos": identities,
            "forces": tuple(sensor.model_copy(update={"serial": serial}) for serial in "AB"),
        }
    )
    for step in REQUIRED_STEPS:
        record = record.with_step(step, "me", ())
    return record


def test_nominal_values_are_not_ready():
    (check,) = calibration.checks(load_robot("boa3"), None, None)
    assert check.answer is Answer.NO and "nominal" in check.text
    assert "boa commission" in check.remedy


def test_a_whole_record_of_this_robot_is_right(monkeypatch):
    (check,) = asked(commissioned(), monkeypatch)
    assert check.answer is Answer.YES, check


def test_a_robot_that_lacks_a_servo_is_not_ready(monkeypatch):
    fitted = default_settings(load_robot("boa13", links=2))
    (check,) = asked(commissioned(), monkeypatch, fitted)
    assert check.answer is Answer.NO and "servo 2" in check.text


def test_the_doctor_refuses_what_arming_refuses(monkeypatch):
    record = commissioned()
    lacking = record.model_copy(update={"steps": {}})
    other = record.model_copy(
        update={"servos": (record.servos[0].model_copy(update={"firmware": 1}), record.servos[1])}
    )
    turned = record.model_copy(
        update={"joints": (rezeroed(record.joints[0], 2.5), record.joints[1])}
    )
    for bad, text in (
        (lacking, "lacks buses"),
        (other, "the calibration record is of servo 1"),
        (turned, "joint_01 is at -143 deg, range"),
    ):
        (check,) = asked(bad, monkeypatch)
        assert check.answer is Answer.NO and text in check.text, check
