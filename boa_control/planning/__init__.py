# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Maps of posts, and ways to goals: paths that posts carry, and where they do not, the floor"""
