"""Form closure of a chain among posts: tests, margins, limits of friction and speed along a path."""
