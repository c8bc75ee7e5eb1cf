"""Is this machine, this bus, this robot ready? One line per question, with the remedy for each
no.
"""
