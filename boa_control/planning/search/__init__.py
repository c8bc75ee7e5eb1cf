"""Search for a path through given posts on which enough of them hold the chain all along."""
