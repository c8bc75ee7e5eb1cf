# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Journeys: from target to target, planned from where the robot lies."""
