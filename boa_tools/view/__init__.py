"""The live view in the browser: a process of its own, and what runs and robots tell it."""
