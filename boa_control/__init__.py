"""Control: paths, contact estimation, controllers, the torque gate and the plant contract."""
