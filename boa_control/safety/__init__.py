"""What may reduce or refuse a torque or a frame: the gate, its one user, faults, the frame
guard.
"""
