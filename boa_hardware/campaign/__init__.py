"""The fault campaign: everything that is known to go wrong, injected into the emulated robot, with
what happened.
"""
