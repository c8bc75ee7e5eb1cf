"""The ROS 2 layer: node runtime, plant node, controller node. Everything else works without ROS."""
