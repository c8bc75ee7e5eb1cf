# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The ROS 2 layer: node runtime, plant node, controller node. Everything else works without ROS."""
