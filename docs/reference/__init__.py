# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parts of the manual that are written from the code (`docs/tables.py`)."""
