"""What objects contained at any moment, and what changed between two."""
