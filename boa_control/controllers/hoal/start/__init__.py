# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The start of a run: its place on the path, and taking hold of the posts there."""
