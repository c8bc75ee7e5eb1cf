# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulated plant: a world of any physics engine, actuator and sensor models, disturbances."""
