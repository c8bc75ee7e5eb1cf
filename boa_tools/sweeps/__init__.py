"""Many runs: seeds, sets of scenarios, side by side."""
