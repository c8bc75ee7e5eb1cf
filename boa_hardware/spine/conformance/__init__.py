# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Does a link board keep to the Spine Protocol? For a board's author: `boa spine check`."""
