"""Quadratic and linear programmes over contact forces."""
