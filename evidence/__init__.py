# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the manual claims, as data: one entry per claim, pages filled from them, and runs again."""
