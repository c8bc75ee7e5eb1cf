# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""All faults of the campaign."""

from __future__ import annotations

from test.boa_hardware.campaign.computer_cases import COMPUTER_CASES
from test.boa_hardware.campaign.others_cases import OTHERS_CASES
from test.boa_hardware.campaign.servo_cases import SERVO_CASES
from test.boa_hardware.campaign.spine_cases import SPINE_CASES
from test.boa_hardware.campaign.watch_cases import WATCH_CASES

CASES = (*SERVO_CASES, *SPINE_CASES, *COMPUTER_CASES, *OTHERS_CASES, *WATCH_CASES)
