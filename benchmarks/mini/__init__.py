"""How the split ``mini`` came about: its raw data, and the leaderboards of reference solutions."""
