"""The physics engines, by the name that a scenario gives as `plant: {engine: ...}`.

An engine is a folder here and a line in `ENGINES`, or a class of an installed package that is
offered under the entry points `boa.engines`. Nothing outside of an engine's folder names it.
"""

from __future__ import annotations

from boa_description.registry import Registry
from boa_sim.world import Engine

# name -> module of this package, and class with the members of `boa_sim.world.World`
ENGINES: dict[str, str] = {
    "mujoco": "mujoco.world:MujocoWorld",
    "moreau": "moreau.world:MoreauWorld",
    "moreau_convex": "moreau.world:ConvexMoreauWorld",
}

REGISTRY = Registry(
    kind="engine",
    group="boa.engines",
    shipped={name: f"{__name__}.{target}" for name, target in ENGINES.items()},
    needs=("place", "advance", "refresh", "truth"),
)


def engine_named(name: str) -> Engine:
    """Return the engine that `name` stands for.

    Raises:
        BoaError: unknown, cannot be imported, or no engine.
    """
    engine: Engine = REGISTRY.load(name)
    return engine
