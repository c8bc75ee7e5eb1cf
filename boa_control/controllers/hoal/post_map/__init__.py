"""The map of posts, exact or not: where they are planned, detected, searched and found."""
