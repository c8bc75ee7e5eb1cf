"""Tools of the user: the `boa` command, runs, reports, bags, benchmarks, bring-up."""
