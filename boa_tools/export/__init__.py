# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A recorded run as tables with names and units, in Python and as files."""
