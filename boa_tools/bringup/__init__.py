"""Bring-up: which nodes a launch file starts, with which parameters, with or without ROS's launch
system.
"""
