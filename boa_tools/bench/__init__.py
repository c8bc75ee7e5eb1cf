"""The benchmarks, as times and as ratios to a fixed workload measured in the same run."""
