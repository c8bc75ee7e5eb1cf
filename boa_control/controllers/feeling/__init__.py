# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Feeling: a way by touch among posts on no map, on a floor that grips across the links"""
