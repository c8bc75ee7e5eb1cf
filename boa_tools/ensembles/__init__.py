"""Ensembles: many seeds, each with perturbed values, by which a rule of a controller is judged."""
