"""Which calls build on each other: chains of state, footprints, forwarding."""
