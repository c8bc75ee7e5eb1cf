"""The MuJoCo plant: physics, actuator and sensor models."""
