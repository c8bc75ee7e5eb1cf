# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The CAN spine: link boards with IMUs and force sensors, in the lab's Spine Protocol."""
