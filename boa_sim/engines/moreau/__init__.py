# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rigid contact with Coulomb's law, by Moreau's time stepping: a second engine, as a judge."""
