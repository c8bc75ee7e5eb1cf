"""Contacts of one tick: which are planned, which are detected, and whether they close the body."""
