# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What every refusal of wrong input has in common."""

from __future__ import annotations

FREE = {
    "name": "mine",
    "summary": "a test",
    "initial": {"base": [0.0, 0.0, 0.0]},
    "controller": {"name": "constant", "parameters": {"torque": [0.0] * 12}},
    "duration": 1.0,
}


def check(boa, words: tuple[str, ...], says: tuple[str, ...], folder_tree) -> None:
    """One line that says these things, status 2, and the folder is as before."""
    before = folder_tree()
    outcome = boa(*words)
    lines = [
        line
        for line in outcome.err.replace("\r", "\n").splitlines()
        if line and not line.startswith("replay:")
    ]
    assert outcome.status == 2, outcome
    assert len(lines) == 1, outcome.err
    assert lines[0].startswith("boa"), lines[0]
    assert "Traceback" not in outcome.err
    for part in says:
        assert part in lines[0], f"'{part}' is not in: {lines[0]}"
    assert folder_tree() == before
