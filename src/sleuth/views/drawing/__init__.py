"""Values and styled text, drawn for a terminal."""
