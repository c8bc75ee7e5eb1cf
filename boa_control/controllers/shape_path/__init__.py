# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Shape control with compliance: the body follows a curve that contact forces bend.

Liljebaeck, Pettersen, Stavdahl, Gravdahl, "Compliant Control of the Body Shape of Snake Robots".
"""
