# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gaits of the snake robot in a duct: searched, mapped and drawn."""
