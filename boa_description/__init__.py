"""Description of the robot: parameters, geometry, MJCF and URDF from one source, scenes, frames."""
