# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Masses of a MuJoCo model that differ from the description's."""

import mujoco

from boa_description.arrays import Array, Indices


def scale_masses(
    model: mujoco.MjModel, data: mujoco.MjData, links: Indices, scale: Array | None
) -> None:
    """Multiply mass and inertia of the links, whose bodies are `links`, by `scale`, both (n,), and
    let MuJoCo work out what depends on them and on everything else that was changed.
    """
    if scale is not None:
        model.body_mass[links] *= scale
        model.body_inertia[links] *= scale[:, None]
    mujoco.mj_setConst(model, data)
