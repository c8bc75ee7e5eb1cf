# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A snake robot between two parallel walls, in closed form.

Classens, Koopaee, Pretty, Weiland and Chen, "Dynamical Modeling and Gait Optimization of a 2-D
Modular Snake Robot in a Confined Space".

The law of the paper knows the floor's friction and the velocity of the body as a whole, which no
sensor of Boa measures: this is the paper's experiment, not a controller for the robot.
"""
