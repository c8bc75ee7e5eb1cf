"""Undulation: a wave along the body, steered to targets or along a line (Wang, sections III and
IV).
"""
