"""The scenario of a run as text, for results folders and bags."""

from __future__ import annotations

import yaml

from boa_control.experiments.scenario import Scenario


def scenario_text(scenario: Scenario) -> str:
    """The scenario as it is run, as YAML; what was left out stays out and has its default."""
    return yaml.safe_dump(scenario.model_dump(mode="json", exclude_unset=True), sort_keys=False)
