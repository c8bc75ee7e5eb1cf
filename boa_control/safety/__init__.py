# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Safety: the torque gate, its one user, faults and the frame guard."""
