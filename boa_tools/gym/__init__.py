# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Learning: scenarios as environments of gymnasium (extra `gym`), policies as ONNX files."""
