# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Many runs: seeds, sets of scenarios, side by side."""
