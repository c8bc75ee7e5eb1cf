"""How long the buses and the robot plant take, measured on the emulated Boa; for `boa bench`."""
