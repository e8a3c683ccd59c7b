"""What a room can reach on the host, each behind a door: a unix socket for that room alone."""
