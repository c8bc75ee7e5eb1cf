"""rosbag2 files: writing, reading, finding. No ROS needed."""
