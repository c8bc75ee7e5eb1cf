"""The simulated plant: a world of any physics engine, actuator and sensor models, disturbances."""
