# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tools of the user: the `boa` command, runs, reports, bags, benchmarks, bring-up."""
