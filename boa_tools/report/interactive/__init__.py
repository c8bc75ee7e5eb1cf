# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The moving part of a report: a run as a film for the browser, with charts that share its time."""
