# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Bring-up: which nodes a launch file starts, with which parameters, with or without ROS's launch
system.
"""
