# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The laws that hoal is compared with: path following with less knowledge, or less control."""
