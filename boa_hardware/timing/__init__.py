# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How long the buses and the robot plant take, measured on the emulated Boa; for `boa bench`."""
