"""The ROS nodes of the tools: recorder and player."""
