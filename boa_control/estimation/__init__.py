# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Estimators from sensor data: progress, start, contact forces, friction, posts."""
