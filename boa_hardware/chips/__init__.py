"""The IMU chips on the link boards: registers and reports to SI units.

For authors of link board firmware, and for whoever reads a chip or its recordings directly. Nothing
of the robot plant imports this: link boards decode their chips themselves and send SI values over
the spine. The tests hold the BNO055 decoder against the lab's recordings.
"""
