# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Force sensors and IMUs: from what the chips send to SI units that can be trusted."""
