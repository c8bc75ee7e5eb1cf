"""What a controller infers from its sensors: progress, start, contact forces, friction, posts."""
