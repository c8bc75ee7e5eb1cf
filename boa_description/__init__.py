"""What the robot is: parameters, geometry, MJCF and URDF from one source, scenes, frames."""
