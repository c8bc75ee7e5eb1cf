"""The laws of the thesis and their rigs: three links between posts, a planar arm at a wall."""
