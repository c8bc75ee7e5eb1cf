# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""MuJoCo as a physics engine: the world, its contacts, and friction at contacts by our own law."""
