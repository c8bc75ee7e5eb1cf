"""The CAN spine: link boards with IMUs and force sensors, in the lab's Spine Protocol."""
