# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Undulation: a wave along the body, steered to targets or along a line (Wang, sections III and
IV).
"""
