"""The laws that hoal is compared with: path following with less knowledge, or less control."""
