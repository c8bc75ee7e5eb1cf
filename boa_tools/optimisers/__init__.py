# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Optimisers of functions that cost seconds to hours to evaluate. They know nothing of scenarios:
`Sampler.propose` says where to evaluate next, the caller evaluates and adds a `Sample`.
"""
