"""Shared test set-up: ROS traffic stays on this machine, and nothing is timed."""

from __future__ import annotations

import os
import signal

from hypothesis import HealthCheck, settings

# background jobs of a script ignore Ctrl-C and hand that on; programs under test must hear it
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
os.environ.setdefault("ROS_PYTHON_CHECK_FIELDS", "1")
# how long an example takes is a matter of the machine
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")
