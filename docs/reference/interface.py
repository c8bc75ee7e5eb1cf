# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Topics, services, actions, parameters and launch arguments of the ROS interface."""

from __future__ import annotations

from boa_control.interface import (
    CONTROLLER_SERVICES,
    LIFECYCLE_SERVICES,
    NODE_PARAMETERS,
    PLANNER_ACTIONS,
    PLANNER_SERVICES,
    PLANT_SERVICES,
    SIMULATION_SERVICES,
    Service,
    Value,
)
from boa_control.messages.topics import TOPICS, Topic
from boa_tools.bringup.hoal import HOAL
from reference.markdown import item, plain, row

SERVICE_HEAD = ["| service | type | what it does |", "|---|---|---|"]


def topics() -> dict[str, list[str]]:
    """All topics, as a list."""
    return {"topics": [line for topic in TOPICS for line in _topic(topic)]}


def _topic(topic: Topic) -> list[str]:
    qos = f"{'latched' if topic.latched else 'volatile'}, {topic.depth}"
    where = " *Simulation.*" if topic.simulation_only else ""
    head = f"`{topic.name}` (`{topic.msgtype}`; {topic.source}; {qos})"
    return item(head, f"{topic.content}.{where}")


def services() -> dict[str, list[str]]:
    """A table for the services of each node."""
    of = {
        "services_plant": (*PLANT_SERVICES, *SIMULATION_SERVICES),
        "services_lifecycle": LIFECYCLE_SERVICES,
        "services_controller": CONTROLLER_SERVICES,
        "services_planner": PLANNER_SERVICES,
    }
    return {name: [*SERVICE_HEAD, *map(_service, all_of)] for name, all_of in of.items()}


def _service(service: Service) -> str:
    where = " *Simulation.*" if service in SIMULATION_SERVICES else ""
    return row(f"`~/{service.name}`", f"`{service.srvtype}`", f"{service.description}{where}")


def actions() -> dict[str, list[str]]:
    """The table of the actions of the planner."""
    rows = [row(f"`{one.name}`", f"`{one.actiontype}`", one.description) for one in PLANNER_ACTIONS]
    return {"actions_planner": ["| action | type | what it does |", "|---|---|---|", *rows]}


def parameters() -> dict[str, list[str]]:
    """A table for the parameters of each executable."""
    head = ["| parameter | default | range | meaning |", "|---|---|---|---|"]
    return {
        f"parameters_{executable}": [
            *head,
            *(
                row(
                    f"`{one.name}`",
                    f"`{_shown(one.default)}`",
                    str(one.limits) if one.limits else "",
                    plain(one.description),
                )
                for one in all_of
            ),
        ]
        for executable, all_of in NODE_PARAMETERS.items()
    }


def _shown(default: Value) -> str:
    return str(default).lower() if isinstance(default, bool) else repr(default).replace("'", '"')


def launch_arguments() -> dict[str, list[str]]:
    """The table of the arguments of hoal.launch.py."""
    head = ["| argument | default | values | meaning |", "|---|---|---|---|"]
    rows = [
        row(
            f"`{one.name}`",
            f"`{one.default}`" if one.default else "",
            ", ".join(one.choices),
            plain(one.help),
        )
        for one in HOAL.args
    ]
    return {"launch_arguments": [*head, *rows]}
