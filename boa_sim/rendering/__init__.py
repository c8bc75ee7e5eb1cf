# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pictures of a simulated or recorded robot: off the screen, and in MuJoCo's window."""
