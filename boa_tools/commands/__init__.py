"""The sub-commands of `boa`, one module each."""
