# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Search for a path through given posts on which enough of them hold the chain all along."""
