# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The controller node: answers sensor frames, takes set-points and new paths."""
