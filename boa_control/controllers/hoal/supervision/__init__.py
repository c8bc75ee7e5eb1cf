# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Supervision of the contact model: what is watched, and what a robot does where it fails."""
