# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Control: paths, contact estimation, controllers, the torque gate and the plant contract."""
