"""Does a link board keep to the Spine Protocol? For a board's author: `boa spine check`."""
