"""Rigid contact with Coulomb's law, by Moreau's time stepping: a second engine, as a judge."""
