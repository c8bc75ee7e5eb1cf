"""Force sensors and IMUs: from what the chips send to SI units that can be trusted."""
