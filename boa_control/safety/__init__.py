"""Safety: the torque gate, its one user, faults and the frame guard."""
