"""Gaits of the snake robot in a duct: searched, mapped and drawn."""
