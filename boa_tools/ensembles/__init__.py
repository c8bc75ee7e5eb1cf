# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Ensembles: many seeds, each with perturbed values, by which a rule of a controller is judged."""
