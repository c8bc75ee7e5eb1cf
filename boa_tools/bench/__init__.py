# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The benchmarks, as times and as ratios to a fixed workload measured in the same run."""
