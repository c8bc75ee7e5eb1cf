# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Weaving: a wave about a path, as wide as posts leave room"""
