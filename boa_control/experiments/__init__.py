# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""From a YAML file to everything that a run needs. The shipped files lie in scenarios/ and
scenario_sets/.
"""
