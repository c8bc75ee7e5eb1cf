# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""rosbag2 files: writing, reading, finding. No ROS needed."""
