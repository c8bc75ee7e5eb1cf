# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What `boa sensors monitor` and `boa doctor` say of a robot that runs already."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from boa_control.messages.status import Diagnosis, Level
from boa_control.plant import ForceSample, ImuSample, PlantError, SensorFrame
from boa_description.load import load_robot
from boa_hardware.tty_lock import TtyLock
from boa_tools.cli import main
from boa_tools.commands import running_robot
from boa_tools.doctor.check import Answer

pytest.importorskip("rclpy", reason="rclpy is not installed (requirements/ros.in)")

from boa_tools.nodes.watch import Seen

pytestmark = pytest.mark.ros
ROBOT = load_robot("boa3")
FRAME = SensorFrame(
    stamp_ns=2_500_000_000,
    position=np.array([0.5, -0.25]),
    velocity=np.zeros(2),
    effort=np.array([1.5, -2.5]),
    joint_force=ForceSample(0, np.array([[3.0, -4.0, 0.0], [5.0, 6.0, 0.0]])),
    imu=ImuSample.planar(0, np.radians([10.0, 20, 30]), np.zeros(3), np.full((3, 2), 0.75)),
    temperature=np.full(2, 30.0),
    joint_age=np.zeros(2),
)
GATE = Diagnosis("boa/plant: gate", Level.OK, "armed", {"faults": ""})


@pytest.fixture
def busy_line() -> Iterator[str]:
    """A tty that another part of this program has locked."""
    master, slave = os.openpty()
    lock = TtyLock(os.ttyname(slave))
    yield os.ttyname(slave)
    lock.release()
    os.close(master)
    os.close(slave)


def sees(monkeypatch: pytest.MonkeyPatch, *seen: Seen) -> None:
    """A robot that publishes this; none where nothing is given."""

    def watch(robot: object, each: Callable[[Seen], bool], seconds: float | None) -> bool:
        for one in seen:
            if each(one):
                break
        return bool(seen)

    monkeypatch.setattr(running_robot, "_watch", watch)


def test_the_table_has_every_link_joint_and_the_state() -> None:
    text = running_robot.table(FRAME, Seen(FRAME, {"gate": GATE}), ROBOT)
    lines = text.splitlines()
    assert len(lines) == 1 + ROBOT.links + 2
    assert lines[1].split() == [
        "1",
        "0.75",
        "0.75",
        "10.00",
        "0.00",
        "joint_01",
        "3.00",
        "-4.00",
        "28.65",
        "1.50",
    ]
    assert lines[3].split() == ["3", "0.75", "0.75", "30.00", "0.00"]
    assert lines[-1] == "gate: armed"


def test_the_monitor_without_a_channel_reads_the_topics(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sees(monkeypatch, Seen(FRAME, {"gate": GATE}))
    assert main(["sensors", "monitor", "--robot", "boa3"]) == 0
    assert "gate: armed" in capsys.readouterr().out


def test_a_fault_is_status_1(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Diagnosis("boa/plant: gate", Level.ERROR, "x", {"faults": "joint_01: temperature"})
    sees(monkeypatch, Seen(FRAME, {"gate": gate}))
    assert main(["sensors", "monitor", "--robot", "boa3"]) == 1


def test_the_monitor_of_a_line_in_use_says_who_and_reads_the_topics(
    busy_line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sees(monkeypatch, Seen(FRAME, {"gate": GATE}))
    words = ["sensors", "monitor", "--robot", "boa3", "--can", f"slcan:{busy_line}@1000000"]
    assert main(words) == 0
    printed = capsys.readouterr().out
    assert f"{busy_line} is used by this program itself; asking the running robot" in printed
    assert "joint_02" in printed


def test_no_robot_in_this_domain(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sees(monkeypatch)
    assert main(["sensors", "monitor"]) == 1
    assert "no robot publishes joint_states in ROS domain" in capsys.readouterr().err


def test_the_doctor_asks_the_running_robot_whose_lines_are_in_use(
    monkeypatch: pytest.MonkeyPatch, busy_line: str
) -> None:
    (user,) = running_robot.used_by_others(busy_line, None)
    gone = Diagnosis("boa/plant: joints", Level.ERROR, "servo 2: no reply; check its cable", {})
    sees(monkeypatch, *[Seen(FRAME, {"gate": GATE, "joints": gone})] * 30)
    found = list(running_robot.checks(ROBOT, (user,)))
    assert [(check.what, check.answer) for check in found] == [
        ("buses", Answer.NOTE),
        ("gate", Answer.YES),
        ("joints", Answer.NO),
        ("joints", Answer.YES),
        ("IMUs", Answer.YES),
    ]
    assert found[2].remedy == "check its cable"


def test_the_doctor_names_who_has_the_lines_where_no_robot_answers(
    monkeypatch: pytest.MonkeyPatch, busy_line: str
) -> None:
    sees(monkeypatch)
    users = running_robot.used_by_others(busy_line, f"slcan:{busy_line}@1000000")
    found = list(running_robot.checks(ROBOT, users))
    assert all(check.answer is Answer.NO for check in found)
    assert busy_line in found[0].text and found[0].remedy == "stop that program"


def test_free_lines_are_nobodys() -> None:
    assert running_robot.used_by_others("/dev/no-such-port", "socketcan:can0") == ()
    assert running_robot.used_by_others(None, None) == ()


def test_another_robot_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    sees(monkeypatch, Seen(None, {}, "12 joints; is it a boa3? (--robot)"))
    with pytest.raises(PlantError, match="is it a boa3"):
        running_robot.monitor(ROBOT, None)
