"""What a user types: the `boa` command, runs, reports, bags, benchmarks, bring-up."""
