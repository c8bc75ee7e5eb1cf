# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Is this machine, this bus, this robot ready? One line per question, with the remedy for each
no.
"""
