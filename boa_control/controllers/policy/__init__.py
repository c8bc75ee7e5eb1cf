# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Learned policies: what they are shown, what their answers mean, their files, their controller."""
