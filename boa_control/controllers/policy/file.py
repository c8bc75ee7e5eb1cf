# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Policies as ONNX files: a network, and in its metadata what it is shown and how that is
normalised.
"""

from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field, ValidationError

from boa_control.controllers.policy.interface import PolicyInterface
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.robot import Block
from boa_description.validation import explain

METADATA = "boa_policy"  # key of the metadata under which the record lies, as JSON


class PolicyRecord(Block):
    """What a network alone does not say. It gets (observation - mean) / scale, cut to +-`clip`."""

    interface: PolicyInterface
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    clip: float = Field(default=10.0, gt=0)

    def normalised(self, observation: Array) -> Array:
        """What the network is given, shape (1, n), in single precision."""
        values = (observation - np.array(self.mean)) / np.array(self.scale)
        return np.clip(values, -self.clip, self.clip).astype(np.float32)[None]


class PolicyFile:
    """A policy from its file, on one thread, so that the same file gives the same bits.

    Attributes:
        record: from its metadata.
    """

    def __init__(self, path: Path) -> None:
        """Load the file.

        Raises:
            BoaError: onnxruntime is not installed; no such file; no ONNX file; no record in it, or
                one that does not fit the network.
        """
        self._path = path
        self._session = _session(path)
        self.record = _record(path, self._session.get_modelmeta().custom_metadata_map)
        self._input = self._session.get_inputs()[0].name
        if len(self.record.mean) != len(self.record.scale) or not all(self.record.scale):
            raise BoaError(
                f"policy '{path}': {len(self.record.mean)} means and {len(self.record.scale)} "
                "scales of its observation; give as many of each, no scale 0"
            )

    def require(self, observed: int, joints: int) -> None:
        """Refuse a policy for another robot.

        Args:
            observed, joints: numbers of the observation and joints of the robot.

        Raises:
            BoaError: the policy has others.
        """
        if len(self.record.mean) != observed:
            raise BoaError(
                f"policy '{self._path}' is shown {len(self.record.mean)} numbers, and this robot "
                f"has {observed} of them; train one for it, or choose its robot"
            )
        try:
            answered = self(np.zeros(observed)).size
        except Exception as error:
            raise BoaError(
                f"policy '{self._path}' cannot take {observed} numbers: {_line(error)}"
            ) from error
        if answered != joints:
            raise BoaError(
                f"policy '{self._path}' answers {answered} numbers; this robot has {joints} joints"
            )

    def __call__(self, observation: Array) -> Array:
        """The action for an observation, shape (n_joints,)."""
        given = {self._input: self.record.normalised(observation)}
        return np.asarray(self._session.run(None, given)[0], float).ravel()


def _session(path: Path) -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise BoaError(
            "controller policy needs onnxruntime, which is not installed: "
            "pip install boa_control[policy]"
        ) from error
    if not path.is_file():
        raise BoaError(f"policy file '{path}' does not exist")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.use_deterministic_compute = True
    options.log_severity_level = 4  # what is wrong comes as an exception
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise BoaError(f"policy '{path}' is no ONNX file: {_line(error)}") from error


def _record(path: Path, metadata: dict[str, str]) -> PolicyRecord:
    if METADATA not in metadata:
        raise BoaError(
            f"policy '{path}' has no metadata '{METADATA}', which says what it is shown; write it "
            "with boa_tools.gym.export"
        )
    try:
        return PolicyRecord.model_validate_json(metadata[METADATA])
    except ValidationError as error:
        raise explain(error, PolicyRecord, f"policy '{path}', metadata") from error


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
