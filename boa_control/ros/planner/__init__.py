"""The planner node: paths to goals, worked out in the background."""
