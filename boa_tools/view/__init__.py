# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The live view in the browser: a process of its own, and what runs and robots tell it."""
