"""What a node did: its behaviour, looked up in the trace with bounded work."""
