# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Emulated Boa: servos and link boards that answer real bus protocols, with physics behind them."""
