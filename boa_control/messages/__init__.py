# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""ROS 2 messages without ROS: encoders and decoders between the project's dataclasses and
serialised messages.

The nodes publish these bytes and the bag writer of in-process runs stores them, so both give the
same bags.
"""
