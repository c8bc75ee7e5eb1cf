"""MuJoCo as a physics engine: the world, its contacts, and friction at contacts by our own law."""
