# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robot identified from its own runs, and a simulation held against a recorded run."""
