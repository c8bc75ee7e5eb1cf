"""Supervision of the contact model: what is watched, and what a robot does where it fails."""
