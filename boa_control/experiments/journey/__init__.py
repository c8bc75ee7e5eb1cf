"""Journeys: from target to target, planned from where the robot lies."""
