# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The map of posts, exact or not: where they are planned, detected, searched and found."""
