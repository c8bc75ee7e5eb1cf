# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A way in stretches: other controllers one after the other, each as long as its stretch lasts."""
