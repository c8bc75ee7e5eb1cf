"""The controller node: answers sensor frames, takes set-points and new paths."""
