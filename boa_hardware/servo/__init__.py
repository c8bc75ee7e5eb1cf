# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The servo bus: Dynamixel XH540-V150-R servos, Protocol 2.0 on RS-485."""
