# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The physics engines, by the name that a scenario gives as `plant: {engine: ...}`.

An engine is a folder here and a line in `ENGINES`, or a class of an installed package that is
offered under the entry points `boa.engines`. Nothing outside of an engine's folder names it.
"""

from inspect import signature

from boa_description.errors import BoaError
from boa_description.registry import Registry
from boa_sim.world import Engine, SpatialWorld, World

# name -> module of this package, and class with the members of `boa_sim.world.World`
ENGINES: dict[str, str] = {
    "mujoco": "mujoco.world:MujocoWorld",
    "moreau": "moreau.world:MoreauWorld",
    "moreau_convex": "moreau.world:ConvexMoreauWorld",
}

# the same for robots that leave the plane: `boa_sim.world.SpatialWorld`
SPATIAL: dict[str, str] = {
    "mujoco": "mujoco.spatial:SpatialMujocoWorld",
    "moreau": "moreau.spatial:SpatialMoreauWorld",
    "moreau_convex": "moreau.spatial:SpatialConvexMoreauWorld",
}

REGISTRY = Registry(
    kind="engine",
    group="boa.engines",
    shipped={name: f"{__name__}.{target}" for name, target in ENGINES.items()},
    needs=("place", "advance", "refresh", "truth"),
)


SPATIAL_REGISTRY = Registry(
    kind="engine for robots that leave the plane",
    group="boa.spatial_engines",
    shipped={name: f"{__name__}.{target}" for name, target in SPATIAL.items()},
    needs=("place", "advance", "refresh", "truth"),
)


def engine_named(name: str) -> Engine[World]:
    """Return the engine that `name` stands for, for robots that stay in the plane.

    Raises:
        BoaError: unknown, cannot be imported, or no engine.
    """
    return REGISTRY.load(name)


def spatial_engine_named(name: str) -> Engine[SpatialWorld]:
    """Return the engine that `name` stands for, for robots that leave the plane.

    Raises:
        BoaError: unknown, cannot be imported, no engine, or one for the plane.
    """
    engine = SPATIAL_REGISTRY.load(name)
    if "roll" not in signature(engine.place).parameters:
        raise BoaError(
            f"engine '{name}' is for the plane: its place() takes no roll; see SpatialWorld in "
            "boa_sim/world.py, or use mujoco"
        )
    return engine
