# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robot plant: servo bus, CAN spine, and the emulated robot behind real bus protocols."""
