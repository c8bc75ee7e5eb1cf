# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Runs as a data set of LeRobot, format v3.0: an episode for each run, a frame for each tick.

Files and keys as the code of huggingface/lerobot reads them (Apache-2.0, `lerobot.datasets`).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from boa_control.experiments.scenario import Scenario
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_tools.export.recorded import Run
from boa_tools.export.table import Values
from boa_tools.runs.results import write_json

VERSION = "v3.0"
SHARD = "chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
# feature of LeRobot -> arrays of a run that it consists of, side by side
FEATURES = {
    "observation.state": ("position_rad", "velocity_radps"),
    "observation.effort": ("effort_nm",),
    "observation.joint_force": ("joint_force_n",),
    "action": ("commanded_nm",),
}
# of the files that its tools make of this one, as they are by default
LARGEST = {"chunks_size": 1000, "data_files_size_in_mb": 100, "video_files_size_in_mb": 200}
QUANTILES = (0.01, 0.1, 0.5, 0.9, 0.99)


@dataclass(frozen=True, slots=True)
class Episode:
    """A run as LeRobot has it.

    Attributes:
        columns: of every frame: the `FEATURES`, shape (frames, width), and `timestamp`, s.
        names: of the columns of each of the `FEATURES`.
        scenario: that was run.
    """

    columns: Mapping[str, Values]
    names: Mapping[str, list[str]]
    scenario: Scenario

    @property
    def frames(self) -> int:
        """Their number."""
        return len(self.columns["timestamp"])

    @property
    def robot(self) -> str:
        """Its name and size."""
        return f"{self.scenario.robot.name}, {len(self.names['action'])} joints"

    @property
    def task(self) -> str:
        """What was to be done, in words."""
        return self.scenario.summary or self.scenario.name


def episode(run: Run) -> Episode:
    """A run as an episode. Ticks before the first sample of every sensor are left out: LeRobot has
    no value that says "not known".

    Raises:
        BoaError: a sensor never gave a value, or lost it later.
    """
    flat = run.ticks.flat()
    names = {
        # boards of the robot send no forces along z: all runs do without, so that they fit together
        name: [key for key in flat if key.partition(".")[0] in parts and not key.endswith(".z")]
        for name, parts in FEATURES.items()
    }
    columns = {
        name: np.column_stack([flat[key] for key in keys]).astype(np.float32)
        for name, keys in names.items()
    }
    known = np.all([np.isfinite(values).all(axis=1) for values in columns.values()], axis=0)
    first = int(np.argmax(known))
    if not known[first:].all():
        unknown = [
            name for name, values in columns.items() if not np.isfinite(values[first:]).all()
        ]
        raise BoaError(
            f"{', '.join(unknown)} of this run of '{run.scenario.name}' has values that are not "
            "known, for which LeRobot has no word; export it with --parquet"
        )
    time = run["time_s"][first:]
    columns = {name: values[first:] for name, values in columns.items()}
    columns["timestamp"] = (time - time[0]).astype(np.float32)
    return Episode(columns, names, run.scenario)


def write_lerobot(directory: Path, episodes: Sequence[Episode]) -> None:
    """Write the data set into a folder.

    Raises:
        BoaError: the runs are of different robots or rates, or the rate is not a whole number.
    """
    import pyarrow
    import pyarrow.parquet

    rate = _same([run.scenario.plant.control_rate for run in episodes], "control rates")
    robot = _same([run.robot for run in episodes], "robots")
    if rate != round(rate):
        raise BoaError(f"LeRobot wants a whole number of frames per second, not {rate:g}")
    tasks = list(dict.fromkeys(run.task for run in episodes))
    ends = np.cumsum([run.frames for run in episodes])
    frames = [
        _numbered(run, number, int(end), tasks.index(run.task))
        for number, (run, end) in enumerate(zip(episodes, ends, strict=True))
    ]
    whole = {name: np.concatenate([part[name] for part in frames]) for name in frames[0]}
    info = {
        "codebase_version": VERSION,
        "robot_type": robot,
        "fps": round(rate),
        "total_episodes": len(episodes),
        "total_frames": int(ends[-1]),
        "total_tasks": len(tasks),
        **LARGEST,
        "splits": {"train": f"0:{len(episodes)}"},
        "data_path": f"data/{SHARD}",
        "video_path": None,
        "features": {
            name: {
                "dtype": str(values.dtype),
                "shape": list(values.shape[1:]) or [1],
                "names": episodes[0].names.get(name),
            }
            for name, values in whole.items()
        },
    }
    shard = SHARD.format(chunk_index=0, file_index=0)
    data, about = directory / "data" / shard, directory / "meta" / "episodes" / shard
    for path in (data, about):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_json(directory / "meta" / "info.json", info)
    write_json(
        directory / "meta" / "stats.json",
        {name: _statistics(values) for name, values in whole.items()},
    )
    pyarrow.parquet.write_table(_tasks(tasks), directory / "meta" / "tasks.parquet")
    rows = [_row(run.task, part) for run, part in zip(episodes, frames, strict=True)]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), about)
    tables = [
        pyarrow.table({name: _column(values) for name, values in part.items()}) for part in frames
    ]
    with pyarrow.parquet.ParquetWriter(data, tables[0].schema) as writer:
        for table in tables:  # a row group for each episode
            writer.write_table(table)


def _numbered(run: Episode, number: int, end: int, task: int) -> dict[str, Values]:
    """The frames of an episode with the numbers that LeRobot wants; `end`: of its last, plus 1."""
    return {
        **run.columns,
        "frame_index": np.arange(run.frames),
        "episode_index": np.full(run.frames, number),
        "index": np.arange(end - run.frames, end),
        "task_index": np.full(run.frames, task),
    }


def _row(task: str, frames: Mapping[str, Values]) -> dict[str, Any]:
    """What the table of episodes says of one."""
    number, index = int(frames["episode_index"][0]), frames["index"]
    places = [
        f"{of}/{part}_index" for of in ("data", "meta/episodes") for part in ("chunk", "file")
    ]
    return {
        "episode_index": number,
        "tasks": [task],
        "length": len(index),
        "dataset_from_index": int(index[0]),
        "dataset_to_index": int(index[-1]) + 1,
        **dict.fromkeys(places, 0),
        **{
            f"stats/{name}/{key}": value
            for name, values in frames.items()
            for key, value in _statistics(values).items()
        },
    }


def _same(values: Sequence[Any], what: str) -> Any:
    if len(set(values)) > 1:
        told = ", ".join(str(value) for value in dict.fromkeys(values))
        raise BoaError(f"runs with different {what} ({told}) are no data set; export them apart")
    return values[0]


def _column(values: Values) -> Any:
    import pyarrow

    if values.ndim == 1:
        return pyarrow.array(values)
    return pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(values.ravel()), values.shape[1])


def _statistics(values: Array) -> dict[str, list[float]]:
    """Of every column, over the frames."""
    rows = values.reshape(len(values), -1).astype(float)
    found = {
        "min": rows.min(axis=0),
        "max": rows.max(axis=0),
        "mean": rows.mean(axis=0),
        "std": rows.std(axis=0),
        "count": np.array([len(rows)]),
    }
    found |= {f"q{round(100 * q):02d}": np.quantile(rows, q, axis=0) for q in QUANTILES}
    return {name: value.tolist() for name, value in found.items()}


def _tasks(tasks: Sequence[str]) -> Any:
    """The table of tasks, with their words as the index that pandas makes of it."""
    import pyarrow

    table = pyarrow.table({"task_index": range(len(tasks)), "task": list(tasks)})
    words = {
        "name": "task",
        "field_name": "task",
        "pandas_type": "unicode",
        "numpy_type": "object",
        "metadata": None,
    }
    numbers = words | {
        "name": "task_index",
        "field_name": "task_index",
        "pandas_type": "int64",
        "numpy_type": "int64",
    }
    about = {"index_columns": ["task"], "column_indexes": [], "columns": [numbers, words]}
    return table.replace_schema_metadata({"pandas": json.dumps(about)})
