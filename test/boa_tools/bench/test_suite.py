# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Benchmarks measure what they say; no times are judged here."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import numpy as np
import pytest

from boa_tools.bench import startup
from boa_tools.bench import suite as bench
from boa_tools.bench.launch import Launch, processor_time
from boa_tools.bench.result import Result, from_times, time_calls
from boa_tools.cli import main


def test_calls_are_counted_and_warmed_up():
    calls = []
    times = time_calls(lambda: calls.append(1), repeats=40)
    assert times.size == 40 and len(calls) == 42 and (times > 0).all()


def test_percentiles():
    result = from_times("x", "y", np.arange(101.0), target_us=60.0)
    assert (result.p50_us, result.p99_us) == (50.0, 99.0)
    text = bench.line(result, bench.Unit(mj_step_us=20.0, reference_us=25.0))
    assert "target 60 us met" in text and "2.000" in text and "2.50" in text


class Steps:
    """In place of the clock of MuJoCo's steps, which first drives a robot."""

    def times(self):
        return np.array([20.0, 20.0])


def test_results_are_ratios_to_the_reference_of_the_same_run(monkeypatch):
    monkeypatch.setattr(bench.physics, "StepClock", Steps)
    monkeypatch.setattr(bench, "GROUPS", {"one": lambda: iter([Result("a", "b", 30.0, 40.0)])})
    lines = []
    found = bench.run_groups(["one"], lines.append)
    entry = found["results"][0]
    assert entry["ratio"] == pytest.approx(30.0 / found["reference_us"])
    assert entry["mj_steps"] == pytest.approx(30.0 / found["mj_step_us"])
    assert [line.split()[0] for line in lines] == ["benchmark", "a", "mj_step", "reference"]


def test_messages_benchmark_runs_for_real(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("boa_tools.bench.messages.REPEATS", 5)
    assert main(["bench", "messages", "--json", str(tmp_path / "bench.json")]) == 0
    names = [
        entry["name"] for entry in json.loads((tmp_path / "bench.json").read_text())["results"]
    ]
    assert names == ["encode_sensors", "decode_sensors", "encode_torque", "encode_control"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["messages", "--seconds", "10"], "--seconds is for the groups real_time, real_time_500"),
        (["robot", "--seconds", "1"], "--seconds 1: expected 5 or more"),
    ],
)
def test_a_length_that_means_nothing_is_refused(words, said, capsys):
    assert main(["bench", *words]) == 2
    assert said in capsys.readouterr().err


def test_timed_groups_get_their_length_and_run_only_when_named(monkeypatch):
    lengths = []

    def timed(seconds: float):
        lengths.append(seconds)
        return iter([Result("long", "b", 30.0, 40.0)])

    monkeypatch.setattr(bench.physics, "StepClock", Steps)
    monkeypatch.setattr(bench, "TIMED", {"long": timed})
    bench.run_groups(["long"], lambda _: None, seconds=7.0)
    assert lengths == [7.0]
    assert set(bench.TIMED).isdisjoint(bench.GROUPS)


@pytest.mark.parametrize(
    ("group", "given"),
    [
        ("real_time", [{"control_rate": "500"}, {"control_rate": "1000"}]),
        ("real_time_500", [{"control_rate": "500"}]),
        ("real_time_1000", [{"control_rate": "1000"}]),
    ],
)
def test_ten_minutes_suffice_for_one_rate(group, given, monkeypatch):
    runs = []

    def run(values):
        runs.append({name: value for name, value in values.items() if name != "duration"})
        return Launch(1.0, np.array([2000.0, 4100.0]), {}, 0.0, {})

    monkeypatch.setattr("boa_tools.bench.launch.run_launch", run)
    results = list(bench.TIMED[group](600.0))
    assert runs == given
    assert [f"real_time/{values['control_rate']}" for values in given] == [r.name for r in results]


def test_the_launch_is_measured_in_one_process_and_in_several(monkeypatch):
    runs = []

    def run(values):
        runs.append(values.get("use_composition", "auto"))
        return Launch(1.0, np.array([500.0, 400.0, 900.0]), {"plant+controller": 450.0}, 0.0, {})

    monkeypatch.setattr("boa_tools.bench.launch.run_launch", run)
    results = {result.name: result for result in bench.GROUPS["launch"]()}
    assert runs == ["auto", "false"]
    assert results["launch/tick"].p50_us == results["launch_apart/tick"].p50_us == 500.0
    assert "mean 600 us" in results["launch/tick"].what, "what is done every few ticks counts, too"
    assert results["launch/plant+controller"].p50_us == 450.0


def test_a_start_is_timed_with_byte_code_even_where_this_program_writes_none(monkeypatch):
    """Compiling all modules takes 0.2 s."""
    environments = []

    class Process(subprocess.Popen):
        def __init__(self, words, env, **options):
            environments.append(env)
            super().__init__([sys.executable, "-I", "-c", "print()"], env=env, **options)

    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setattr("subprocess.Popen", Process)
    (result,) = startup.first_tick()
    assert len(environments) == 1 + startup.REPEATS and result.p50_us > 0
    assert not any("PYTHONDONTWRITEBYTECODE" in env for env in environments)


def test_processor_time_of_another_process_is_read():
    """A process that computes for a while has had at least that much, and no more than passed."""
    code = "import time\nwhile time.process_time() < 0.2: pass\nprint(flush=True); input()"
    before = time.monotonic_ns()
    with subprocess.Popen(
        [sys.executable, "-I", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        process.stdout.readline()
        spent = processor_time(process.pid)
        process.communicate(b"\n")
    assert 0.2e9 <= spent <= time.monotonic_ns() - before
