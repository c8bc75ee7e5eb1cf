"""Pictures of a simulated or recorded robot: off the screen, and in MuJoCo's window."""
