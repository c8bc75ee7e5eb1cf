# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The metrics, by topic. Adding one: a function that `metric` or `further` decorates, in one of
these files; its row in docs/metrics.md comes from `python docs/tables.py`.
"""
