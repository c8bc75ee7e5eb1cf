# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The control law: the QP of a tick, the loops around it, and what it knows of friction and
torque.
"""
