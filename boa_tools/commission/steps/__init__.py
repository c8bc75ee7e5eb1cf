# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The steps, one in each file; `boa_tools.commission.table` has their order."""
