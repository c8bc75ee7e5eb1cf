"""The robot plant: servo bus, CAN spine, and the emulated robot behind real bus protocols."""
