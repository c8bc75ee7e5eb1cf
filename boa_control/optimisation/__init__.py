"""Quadratic and linear programs over contact forces."""
