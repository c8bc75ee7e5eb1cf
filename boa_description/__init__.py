# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Description of the robot: parameters, geometry, MJCF and URDF from one source, scenes, frames."""
