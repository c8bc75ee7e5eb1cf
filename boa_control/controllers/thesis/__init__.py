# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The laws of the thesis and their rigs: three links between posts, a planar arm at a wall."""
