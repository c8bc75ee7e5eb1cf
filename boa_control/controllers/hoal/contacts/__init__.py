# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contacts of one tick: which are planned, which are detected, and whether they close the body."""
