"""The planar arm with two rods of thesis section 3.1."""
