"""Estimators from sensor data: progress, start, contact forces, friction, posts."""
