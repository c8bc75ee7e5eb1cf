# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is known of one robot's joints and sensors, and how it is worked out from recordings."""
