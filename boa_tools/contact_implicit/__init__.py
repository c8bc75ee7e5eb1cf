# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Trajectories of least effort, whose contacts are part of what is sought (extra `implicit`)."""
