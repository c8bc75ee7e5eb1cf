# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Wrong scenarios and arguments: one clear line, status 2, nothing changed on disk."""

from __future__ import annotations

import resource

import pytest
import yaml

from test.cli.refusal import FREE, check

GOOD = {
    "name": "mine",
    "summary": "a test",
    "path": {
        "kind": "circle",
        "radius": 1.15,
        "segments": 24,
        "attack_angle": 0.5235987755982988,
        "half_line": 0.13,
    },
    "controller": {"name": "hoal", "parameters": {"speed": 0.1}},
    "duration": 1.0,
}
STRAIGHT = {
    "kind": "straight",
    "spacing": 0.3,
    "attack_angle": 0.52,
    "half_line": 0.13,
    "cells": 20,
}


def with_change(base: dict, keys: str, value: object) -> dict:
    """A copy with one (dotted) key set, or removed when the value is `...`."""
    copy = yaml.safe_load(yaml.safe_dump(base))
    *parents, last = keys.split(".")
    block = copy
    for name in parents:
        block = block.setdefault(name, {})
    if value is ...:
        del block[last]
    else:
        block[last] = value
    return copy


# what is wrong -> (scenario file, what the line must say)
SCENARIOS: dict[str, tuple[object, tuple[str, ...]]] = {
    "not YAML": ("name: [unclosed", ("mine.yaml", "not valid YAML")),
    "a key twice": (
        "name: a\nsummary: b\nname: c\n",
        ("mine.yaml, line 3", "'name' is given twice", "line 1"),
    ),
    "not UTF-8": ("name: f\udcfcr\n", ("mine.yaml, line 1", "UTF-8")),
    "a list": ("- one\n- two\n", ("mapping", "list")),
    "empty": ("", ("mine.yaml", "is empty", "mapping")),
    "unknown key": (with_change(GOOD, "speeed", 1), ("unknown key 'speeed'", "valid:")),
    "misspelt key": (
        with_change(GOOD, "duraton", 3),
        ("unknown key 'duraton'", "did you mean 'duration'"),
    ),
    "missing key": (with_change(GOOD, "duration", ...), ("'duration' is missing",)),
    "word for a number": (with_change(GOOD, "duration", "long"), ("duration", "'long'")),
    "negative duration": (with_change(GOOD, "duration", -3), ("duration", "greater than 0", "-3")),
    "infinite duration": (with_change(GOOD, "duration", float("inf")), ("duration", "finite")),
    "unknown robot": (with_change(GOOD, "robot.name", "cobra"), ("unknown robot 'cobra'", "boa13")),
    "one link": (
        with_change(GOOD, "robot.links", 1),
        ("robot.links", "greater than or equal to 2", "1"),
    ),
    "robot override": (
        with_change(GOOD, "robot.override", {"limits": {"tork": 5}}),
        ("tork", "torque"),
    ),
    "unknown controller": (
        with_change(GOOD, "controller.name", "hoall"),
        ("'hoall'", "did you mean 'hoal'"),
    ),
    "controller parameter": (
        with_change(GOOD, "controller.parameters.sped", 1),
        ("unknown key 'sped'", "speed"),
    ),
    "controller value": (with_change(GOOD, "controller.parameters.speed", "x"), ("speed", "'x'")),
    "unknown path": (
        with_change(GOOD, "path.kind", "cirlce"),
        ("unknown kind 'cirlce'; did you mean 'circle'",),
    ),
    "path of no kind": (with_change(GOOD, "path.kind", ...), ("key 'path.kind' is missing",)),
    "two way-points": (
        with_change(
            GOOD, "path", {"kind": "waypoints", "points": [[0, 0], [1, 0]], "minimum_radius": 0.2}
        ),
        ("path.points: 3 or more entries are needed (given: 2)",),
    ),
    "posts on no side": (with_change(GOOD, "path.sides", "LXR"), ("path.sides", "'X'", "L left")),
    "impossible path": (with_change(GOOD, "path.half_line", 2.0), ("half_line",)),
    "path too tight": (with_change(GOOD, "path.radius", 0.2), ("radius",)),
    "rate and step": (
        with_change(GOOD, "plant.control_rate", 300.0),
        ("whole number of physics steps",),
    ),
    "huge physics step": (
        with_change(GOOD, "plant.physics_step", 0.5),
        ("plant.physics_step", "0.5"),
    ),
    "fidelity": (
        with_change(GOOD, "plant.effects.fidelity", "perfect"),
        ("fidelity", "'ideal' or 'datasheet'"),
    ),
    "noise of 300 %": (
        with_change(GOOD, "disturbance.sensor_noise", 3.0),
        ("sensor_noise", "less than or equal to 1"),
    ),
    "no start": (with_change(FREE, "initial", ...), ("initial", "base")),
    "start beyond the path": (
        with_change(with_change(GOOD, "path", STRAIGHT), "initial.progress", 90.0),
        ("initial.progress = 90 m lies outside the path",),
    ),
    "too many joints": (with_change(FREE, "initial.joints", [0.1] * 3), ("3 angles", "12 joints")),
    "obstacle kind": (
        with_change(GOOD, "scene.obstacles", [{"kind": "tree", "x": 1}]),
        ("obstacles", "tree"),
    ),
    "obstacle size": (
        with_change(GOOD, "scene.obstacles", [{"kind": "circle", "x": 1, "y": 0, "radius": -0.1}]),
        ("radius", "greater than 0"),
    ),
    "ground friction": (with_change(GOOD, "scene.ground.model", "ice"), ("ground.model", "'ice'")),
    "gait that leaves the plane": (
        with_change(
            FREE,
            "controller",
            {"name": "west_asada", "parameters": {"gait": {"kind": "rolling"}}},
        ),
        ("unknown kind 'rolling'", "Valid: hold, rocking, wave"),
    ),
}


def test_wrong_controller_of_several_runs(boa, tmp_path, folder_tree):
    wrong = with_change(GOOD, "controller.parameters.sped", 1)
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(wrong), encoding="utf-8")
    check(
        boa,
        ("run", "mine.yaml", "--seeds", "2", "--jobs", "2"),
        ("unknown key 'sped'",),
        folder_tree,
    )


@pytest.mark.parametrize("case", SCENARIOS)
def test_wrong_scenario(case, boa, tmp_path, folder_tree):
    content, says = SCENARIOS[case]
    text = content if isinstance(content, str) else yaml.safe_dump(content)
    # \udcfc becomes the byte fc
    (tmp_path / "mine.yaml").write_bytes(text.encode("utf-8", "surrogateescape"))
    check(boa, ("run", "mine.yaml"), says, folder_tree)


ARGUMENTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "no command": ((), ("COMMAND",)),
    "unknown command": (("fly",), ("'fly'", "'run'")),
    "no scenario": (("run",), ("SCENARIO",)),
    "unknown scenario": (
        ("run", "boa_cirle"),
        ("unknown scenario 'boa_cirle'", "did you mean 'boa_circle' or", "boa scenarios"),
    ),
    "missing file": (("run", "nowhere/mine.yaml"), ("nowhere/mine.yaml", "does not exist")),
    "duration of a word": (("run", "boa_circle", "--duration", "soon"), ("--duration", "'soon'")),
    "no duration": (("run", "boa_circle", "--duration", "0"), ("--duration", "above zero")),
    "infinite distance": (("run", "boa_circle", "--distance", "inf"), ("--distance", "'inf'")),
    "distance without path": (
        ("run", "thesis_5_1_1", "--distance", "1"),
        ("no path", "--duration"),
    ),
    "no seeds": (("run", "boa_circle", "--seeds", "0"), ("--seeds", "above zero")),
    "half a seed": (("run", "boa_circle", "--seed", "0.5"), ("--seed", "'0.5'")),
    "seed below zero": (
        ("run", "boa_circle", "--seed", "-1"),
        ("--seed", "'-1' is not a whole number from 0 up"),
    ),
    "seed beside seeds": (
        ("run", "boa_circle", "--seeds", "2", "--seed", "3"),
        ("--seed means nothing",),
    ),
    "video of seeds": (
        ("run", "boa_circle", "--seeds", "2", "--video"),
        ("--video means nothing",),
    ),
    "jobs of one run": (
        ("run", "boa_circle", "--jobs", "2"),
        ("--jobs means nothing for a single run",),
    ),
    "misspelt option": (
        ("run", "boa_circle", "--vidoe"),
        ("boa run: error", "'--vidoe'", "did you mean '--video'?"),
    ),
    "one word too many": (
        ("plan", "check", "boa_circle", "now"),
        ("boa plan check: error", "'now'"),
    ),
    "output in use": (("run", "boa_circle", "--out", "full"), ("'full' is not empty",)),
    "output is a file": (("run", "boa_circle", "--out", "full/file"), ("full/file", "is a file")),
    "output below a file": (
        ("run", "boa_circle", "--out", "full/file/deeper"),
        ("full/file", "cannot be created"),
    ),
    "output on no disk": (
        ("run", "boa_circle", "--out", "/proc/results"),
        ("/proc/results", "cannot be created"),
    ),
    "recording on no disk": (
        ("bag", "record", "boa_circle", "--out", "/proc/r"),
        ("/proc/r", "cannot be created"),
    ),
    "unknown option": (("run", "boa_circle", "--quick"), ("--quick",)),
    "plan of nothing": (("plan", "check", "thesis_5_1_1"), ("no path",)),
    "path through no map": (
        ("plan", "path", "none.yaml", "--from", "0,0", "--to", "1,1"),
        ("map 'none.yaml' does not exist",),
    ),
    "folder of a run": (("run", "./ran"), ("'ran' is a folder; give ran/scenario.yaml",)),
    "empty folder": (("run", "./empty"), ("'empty' is a folder; give a file",)),
    "form of figures that are not drawn": (
        ("run", "boa_circle", "--no-report", "--format", "pdf"),
        ("--format means nothing for a run with --no-report",),
    ),
    "way to nowhere": (
        ("go", "posts.csv", "--from", "0.1,0.3", "--to", "40,1"),
        ("goal (40, 1) m is 39.66 m from the nearest post",),
    ),
    "way over half a floor": (
        ("go", "posts.csv", "--from", "0.1,0.3", "--to", "1,1", "--grip", "0.1"),
        ("boa go: error", "'0.1' is no grip of a floor", "0.05,0.3"),
    ),
    "exploring to nowhere": (
        ("explore", "posts.csv", "--distance", "100"),
        ("the end (103, 1.5) m is", "from the nearest post"),
    ),
    "path from nowhere": (
        ("plan", "path", "none.yaml", "--from", "here", "--to", "1,1"),
        ("boa plan path: error", "'here' is no place", "X,Y"),
    ),
    "path in no time": (
        ("plan", "path", "none.yaml", "--from", "0,0", "--to", "1,1", "--seconds", "0"),
        ("'0' is not a number above zero",),
    ),
    "emulator with a word for a number": (
        ("emulate", "--seed", "x"),
        ("'x' is not a whole number",),
    ),
    "emulator with an unknown delay": (("emulate", "--latency", "nan"), ("'nan' is not a number",)),
    "jog without a number": (
        ("servo", "jog", "--port", "nowhere", "--id", "1", "--current", "nan"),
        ("boa servo jog: error", "'nan' is not a number"),
    ),
    "sweep of a duration that is given": (
        ("sweep", "boa_circle", "--vary", "duration=1,2", "--duration", "3"),
        ("--duration and --vary duration=... both set it",),
    ),
    "report of nothing": (("report", "nowhere"), ("'nowhere' does not exist",)),
    "report of a folder": (
        ("report", "full"),
        ("'full' has no bag in it", "results folder of a run"),
    ),
    "report of an empty folder": (
        ("report", "empty"),
        ("'empty' is empty", "results folder of a run"),
    ),
    "report of a text": (("report", "full/file"), ("'full/file' is not a bag", ".mcap")),
    "report of a device": (("report", "/dev/null"), ("'/dev/null' is not a bag", ".mcap")),
    "report of several seeds": (
        ("report", "seeds"),
        ("several seeds", "boa run seeds/scenario.yaml"),
    ),
    "report of a set": (
        ("report", "set"),
        ("results of a set", "boa run set/MEMBER/scenario.yaml"),
    ),
    "replay without a bag": (("bag", "replay", "bare"), ("--no-bag", "boa run bare/scenario.yaml")),
    "info of a YAML file": (("bag", "info", "mine.yaml"), ("'mine.yaml' is not a bag",)),
    "bag without action": (("bag",), ("ACTION",)),
    "bag info of nothing": (("bag", "info", "nowhere"), ("does not exist",)),
    "playing backwards": (("bag", "play", "nowhere", "--speed", "-1"), ("--speed", "above zero")),
    "unknown benchmark": (("bench", "speed"), ("unknown benchmark group 'speed'", "controllers")),
    "benchmark to nowhere": (
        ("bench", "spine", "--json", "nowhere/x.json"),
        ("nowhere/x.json", "does not exist"),
    ),
    "no launch file": (("launch",), ("required: file;",)),
    "arguments of no launch file": (
        ("launch", "hoall.launch.py", "--show-args"),
        ("did you mean 'hoal.launch.py'",),
    ),
    "launch file": (("launch", "hoall.launch.py"), ("hoall.launch.py",)),
    "launch argument form": (
        ("launch", "hoal.launch.py", "sim=true"),
        ("'sim=true'", "name:=value"),
    ),
    "launch argument name": (("launch", "hoal.launch.py", "simm:=true"), ("'simm'", "sim")),
    "launch argument value": (("launch", "hoal.launch.py", "sim:=maybe"), ("sim", "maybe", "true")),
    "CAN channel": (("doctor", "--can", "can0"), ("'can0'", "socketcan:can0")),
    "robot of the doctor": (("doctor", "--robot", "python"), ("unknown robot 'python'", "boa13")),
}


@pytest.mark.parametrize("case", ARGUMENTS)
def test_wrong_argument(case, boa, tmp_path, folder_tree):
    (tmp_path / "full").mkdir()
    (tmp_path / "empty").mkdir()
    results = {
        "seeds": "seeds.json",
        "set": "comparison.json",
        "bare": "metrics.json",
        "ran": "scenario.yaml",
    }
    for file in (
        "full/file",
        "mine.yaml",
        *(f"{folder}/{name}" for folder, name in results.items()),
    ):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text("something\n", encoding="utf-8")
    posts = "x,y,radius\n0,0,0.05\n0.3,0.1,0.05\n"
    (tmp_path / "posts.csv").write_text(posts, encoding="utf-8")
    words, says = ARGUMENTS[case]
    check(boa, words, says, folder_tree)


def test_a_disk_that_takes_no_more(boa, tmp_path):
    """The kernel refuses to let a file grow, here by a limit of the process: one line, and what was
    written remains.
    """
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(FREE), encoding="utf-8")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        outcome = boa("run", "mine.yaml", "--out", "results")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert outcome.status == 1
    assert outcome.err.splitlines()[-1] == (
        "boa: error: 'results.incomplete' cannot be written: File too large; what was written "
        "remains there. Make room, then save its bag by 'boa bag recover results.incomplete'"
    )
    assert "Traceback" not in outcome.err
    assert (tmp_path / "results.incomplete" / "bag").is_dir()
    assert not (tmp_path / "results").exists()
