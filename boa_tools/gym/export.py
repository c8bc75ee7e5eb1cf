# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Policies into ONNX files that controller `policy` runs."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from boa_control.controllers.policy.file import METADATA, PolicyRecord
from boa_description.arrays import Array

OPSET, IR = 17, 9  # of 2022, which every runtime in use knows


def layers_model(layers: Sequence[tuple[Array, Array]]) -> onnx.ModelProto:
    """A network of dense layers, each W x + b with tanh behind it.

    Args:
        layers: W of shape (outputs, inputs) and b of shape (outputs,), from the observation on.
    """
    nodes, weights, name = [], [], "observation"
    for number, (matrix, offset) in enumerate(layers):
        parts = {f"W{number}": matrix, f"b{number}": offset}
        weights += [numpy_helper.from_array(np.asarray(v, np.float32), k) for k, v in parts.items()]
        out = "action" if number == len(layers) - 1 else f"x{number}"
        nodes += [
            helper.make_node("Gemm", [name, *parts], [f"y{number}"], transB=1),
            helper.make_node("Tanh", [f"y{number}"], [out]),
        ]
        name = out
    ends = [("observation", layers[0][0].shape[1]), ("action", layers[-1][0].shape[0])]
    given, answer = (
        helper.make_tensor_value_info(end, TensorProto.FLOAT, [1, size]) for end, size in ends
    )
    graph = helper.make_graph(nodes, "policy", [given], [answer], weights)
    opset = [helper.make_opsetid("", OPSET)]
    return helper.make_model(graph, opset_imports=opset, ir_version=IR)


def write_policy(path: Path, model: onnx.ModelProto, record: PolicyRecord) -> None:
    """Write a network, from wherever it was trained, with what it is shown and how that is
    normalised. It takes one observation, shape (1, n), and answers one action, (1, n_joints).
    """
    onnx.checker.check_model(model)
    helper.set_model_props(model, {METADATA: record.model_dump_json()})
    onnx.save(model, str(path))
